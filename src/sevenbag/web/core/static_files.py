"""Routers for static files below a folder."""

from __future__ import annotations

import asyncio
import mimetypes
from pathlib import Path
from typing import Any, Final

from litestar import MediaType, Request, Response, Router
from litestar.exceptions import NotFoundException
from litestar.file_system import BaseLocalFileSystem
from litestar.static_files import create_static_files_router  # pyright: ignore[reportUnknownVariableType]  # PathLike
from litestar.types.file_types import FileInfo

STATIC_FOLDER: Final = Path(__file__).parents[1] / "static"
TEMPLATE_FOLDER: Final = Path(__file__).parents[1] / "templates"
JAVASCRIPT_TYPE: Final = "text/javascript"

# The operating system's table may differ, and browsers run scripts of one type only.
for _suffix, _type in {
    ".css": "text/css",
    ".html": "text/html",
    ".js": JAVASCRIPT_TYPE,
    ".json": "application/json",
    ".mjs": JAVASCRIPT_TYPE,
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}.items():
    mimetypes.add_type(_type, _suffix)


class RootedFileSystem(BaseLocalFileSystem):
    """File system of regular files below a folder.

    Litestar compares paths without resolving the symbolic links in them.

    Args:
        folder: links that lead out of it are not followed.
    """

    def __init__(self, folder: Path) -> None:
        self._root = folder.resolve()

    async def info(self, path: Any, **kwargs: Any) -> FileInfo:
        """Return information about a file.

        Raises:
            FileNotFoundError: there is no regular file of this path below the folder.
        """
        try:
            file = await asyncio.to_thread(self._resolve, Path(path))
            info: FileInfo = await super().info(file, **kwargs)  # pyright: ignore[reportUnknownMemberType]
            return info
        except (OSError, ValueError) as error:
            raise FileNotFoundError(path) from error

    def _resolve(self, path: Path) -> Path:
        file = path.resolve(strict=True)
        if not file.is_relative_to(self._root) or not file.is_file():
            raise FileNotFoundError(path)
        return file


def create_file_router(path: str, folder: Path, **options: Any) -> Router:
    """Create a router for the files below a folder."""
    return create_static_files_router(
        path,
        [folder],
        file_system=RootedFileSystem(folder),
        name=path.strip("/"),
        exception_handlers={NotFoundException: _respond_not_found},
        **options,
    )


def _respond_not_found(_: Request[Any, Any, Any], __: NotFoundException) -> Response[str]:
    # Litestar's text contains the path of the folder.
    return Response("no such file\n", status_code=404, media_type=MediaType.TEXT)
