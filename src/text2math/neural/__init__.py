"""Networks: what trains and exports them (with torch), and the model around an exported one (without)."""
