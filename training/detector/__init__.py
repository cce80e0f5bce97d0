"""The icon detector: a small network in plain PyTorch, exported in YOLO's ONNX form. See docs/training.md."""
