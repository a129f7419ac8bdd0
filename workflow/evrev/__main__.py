"""`python -m evrev`: what the workflow's rules call, so that no PATH is needed."""

from evrev.cli import main

if __name__ == "__main__":
    main()
