print("callqa")
