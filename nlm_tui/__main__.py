"""`python -m nlm_tui`."""

from nlm_tui.cli import main

if __name__ == "__main__":
    main()
