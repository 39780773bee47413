"""The protocol of the Pason coding contest of 2012."""
