"""How our own icon weights are made: labelled screens, the detector, the classifier of names. Never shipped."""
