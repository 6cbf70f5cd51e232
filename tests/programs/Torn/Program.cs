using System;
using System.Collections.Generic;
using System.Reflection;

// Collections as another thread leaves them for a moment, in the middle of a change.
public static class Program
{
    public static void Main()
    {
        List<int> tooLong = Torn(new List<int> { 1, 2, 3 }, "_size", 1000);
        List<int> negative = Torn(new List<int> { 1, 2, 3 }, "_size", -5);
        List<int> without = Torn(new List<int> { 1, 2, 3 }, "_items", null);
        Dictionary<int, int> many = Torn(new Dictionary<int, int> { [1] = 2 }, "_count", 1000);
        Dictionary<int, int> none = Torn(new Dictionary<int, int> { [1] = 2 }, "_entries", null);
        Queue<int> beyond = Torn(new Queue<int>(new[] { 1, 2 }), "_head", -7);
        var ring = new LinkedList<int>(new[] { 1, 2, 3 });
        Torn(ring, "count", 1000);
        Torn(ring.First.Next, "next", ring.First.Next);
        Console.WriteLine("torn"); // @here
        GC.KeepAlive(new object[] { tooLong, negative, without, many, none, beyond, ring });
    }

    private static T Torn<T>(T collection, string field, object value)
    {
        typeof(T).GetField(field, BindingFlags.NonPublic | BindingFlags.Instance).SetValue(collection, value);
        return collection;
    }
}
