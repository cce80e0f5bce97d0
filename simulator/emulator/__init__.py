"""Stand in for the program ``emulator`` of an Android SDK: a virtual phone with an emulator's ports and console."""
