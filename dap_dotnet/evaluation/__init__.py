"""C# expressions: text -> tree -> bound, typed operations -> value. One engine for watches and conditions."""
