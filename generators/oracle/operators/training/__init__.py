"""Steps of an optimizer: new values of tensors from their gradients."""
