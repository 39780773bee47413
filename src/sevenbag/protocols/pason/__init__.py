"""The protocol of the Pason coding contest of 2012.

`messages` has the messages of both channels; `pason_conversion` converts boards, placements and
moves between the contest and the kernel.
"""
