using System;
using System.Collections.Generic;
using System.Threading.Tasks;

// Variables that a method does not need any more when it goes on after an `await` or a `yield`: in a Release build they
// are in local slots, and lost if the method was suspended.
public static class Suspended
{
    private static int count;

    public static async Task Main()
    {
        await Awaits(false); // @at-once
        await Awaits(true); // @suspends
        foreach (int each in Yields())
        {
            count += each;
        }

        Console.WriteLine(count);
    }

    private static async Task Awaits(bool suspends)
    {
        string text = Text("text");
        int number = Number(7);
        int none = Number(0);
        count += text.Length + number + none; // @before
        await (suspends ? Task.Delay(5) : Task.CompletedTask);
        count++; // @behind
        string later = Text("later");
        count += later.Length; // @later
        await Task.Yield();
        count++; // @end
    }

    private static IEnumerable<int> Yields()
    {
        string text = Text("text");
        count += text.Length; // @before-yield
        yield return 1;
        count++; // @behind-yield
    }

    private static string Text(string text) => text;

    private static int Number(int number) => number;
}
