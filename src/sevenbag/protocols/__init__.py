"""Bot protocols without I/O: bytes or objects in, objects or bytes out; no sockets, no clocks."""
