"""Networks in onnxruntime: opened, run on crops, and shared by several readers in batches."""
