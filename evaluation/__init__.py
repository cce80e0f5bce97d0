"""Make figures, audits and reports from run folders alone."""
