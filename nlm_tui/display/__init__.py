"""How sessions read, on the screen and in the shell."""
