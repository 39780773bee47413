"""Write every picture and table, and print which files changed."""

from __future__ import annotations

from docs.figures.files import PAGES, PICTURES_FOLDER, pictures, with_tables


def main() -> None:
    """Write changed files, and remove pictures without a function."""
    PICTURES_FOLDER.mkdir(exist_ok=True)
    files = {PICTURES_FOLDER / f"{name}.svg": svg for name, svg in pictures().items()}
    files |= {page: with_tables(page.read_text(encoding="utf-8")) for page in PAGES}
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path.name)
    for path in PICTURES_FOLDER.glob("*.svg"):
        if path not in files:
            path.unlink()
            print(f"{path.name} removed")


if __name__ == "__main__":
    main()
