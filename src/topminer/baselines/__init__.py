"""The methods the paper compares with, behind one interface with ToPMine and LDA."""
