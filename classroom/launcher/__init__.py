"""The launcher: the environment, the commands, JupyterLab and the doctor."""
