"""The methods that the paper compares ToPMine with."""
