"""Tables of strings and of integers, and arrays that grow: what the other packages build on."""
