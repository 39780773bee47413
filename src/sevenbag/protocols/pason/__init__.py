"""The protocol of the Pason coding contest of 2012.

`messages` is what is said on both channels; `board` and `shapes` are what the words mean; `placing`
leads from there to the kernel and back; `moves` finds ways to a placement.
"""
