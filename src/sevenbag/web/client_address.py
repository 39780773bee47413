"""Where a request comes from, also behind proxies that may be believed."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, TypeAlias

from sevenbag.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sevenbag.web.guard import Scope

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(proxies: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks of proxies.

    Raises:
        InputError: one of them is neither.
    """
    found: list[Network] = []
    for each in proxies:
        try:
            found.append(ipaddress.ip_network(each, strict=False))
        except ValueError:
            raise InputError(
                f"site.trusted_proxies has {shown(each)}, must be addresses such as 127.0.0.1"
                " or networks such as 10.0.0.0/8"
            ) from None
    return tuple(found)


def address_of(scope: Scope, proxies: Sequence[Network]) -> str:
    """The address of a request's sender.

    A proxy adds whom it heard at the end of ``X-Forwarded-For``; everything before the first
    address that is not a proxy's own may be made up.
    """
    client = scope.get("client")
    # How a socket that listens for both calls whoever comes by IPv4.
    address = str(client[0]).removeprefix("::ffff:") if client else ""
    if not is_in(address, proxies):
        return address
    told = ",".join(
        value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"
    )
    for each in reversed(told.split(",")):
        hop = each.strip()
        try:
            ipaddress.ip_address(hop)
        except ValueError:
            return address
        address = hop
        if not is_in(hop, proxies):
            break
    return address


def household(address: str) -> str:
    """What is counted as one caller: in IPv6 a whole network of 64 bits is somebody's own."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return address


def is_in(address: str, proxies: Sequence[Network]) -> bool:
    """Return whether an address is in one of the networks."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in each for each in proxies)
