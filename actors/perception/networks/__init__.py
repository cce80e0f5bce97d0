"""Open networks in onnxruntime, run them on crops, and share them between readers in batches."""
