// Features of C# 9 to 13.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Pair = (int Left, int Right);
using unsafe Pointer = delegate* unmanaged[Cdecl, SuppressGCTransition]<int, void>;

Console.WriteLine(await Top(args.Length));
static async Task<int> Top(int n) { await Task.Yield(); return n; }

public record Person(string Name, int Age = 3) { public required string Nick { get; init; } }
public record struct Point(int X, int Y);
public readonly ref struct Window<T> where T : allows ref struct { public readonly int Size; }

public class Service(string name, Func<int> count) : IDisposable
{
    private readonly int extra = count() + 1;
    public string Name => name;
    public void Dispose() => Console.WriteLine(extra);
}

public interface IAdd<TSelf> where TSelf : IAdd<TSelf> { static abstract TSelf operator checked +(TSelf a, TSelf b); static abstract TSelf operator +(TSelf a, TSelf b); }

[AttributeUsage(AttributeTargets.All)]
public class MarkAttribute<T> : Attribute { public MarkAttribute(T value, object any) { } public Type[] Types { get; set; } public object Any; }

file class Hidden { public int Field; }

[Mark<int>(5, "text", Types = new[] { typeof(int), typeof(List<>) }, Any = new object[] { 1, 'c', 2.5, DayOfWeek.Friday })]
public static class Modern
{
    public static unsafe Pointer Native;
    public static unsafe delegate*<ref int, string> Managed;
    public const nint Small = 5;

    [ModuleInitializer]
    public static void Initialize() { }

    public static ReadOnlySpan<byte> Bytes => "utf8"u8;
    public static ReadOnlySpan<int> Numbers => [1, 2, 3, 4];

    public static int Match(object value) => value switch
    {
        Person { Name.Length: > 3, Age: var age } => age,
        int[] and [1, .., var last] => last,
        Point(var x, _) when x > 1 => x,
        string s and not "no" => s.Length,
        _ => Call<int>(),
    };

    private static T Call<T>() where T : INumber<T>
    {
        const nint local = -7;
        const nuint unsigned = 7;
        Console.WriteLine(local + (int)unsigned);
        return T.Zero;
    }

    public static async Task Loop(IAsyncEnumerable<Pair> pairs, params string[] words)
        => await Inner(pairs, 1);

    public static int Sum(params ReadOnlySpan<int> numbers) => numbers.Length;

    private static async Task Inner(IAsyncEnumerable<Pair> pairs, int length)
    {
        await foreach (var (left, right) in pairs.ConfigureAwait(false))
        {
            var lambda = (int x = 3) => x + left + right + length;
            await using var resource = new Resource();
            Console.WriteLine($"{lambda()} {new Hidden().Field}");
        }
#line (1, 1) - (1, 20) 13 "spans.razor"
            Console.WriteLine("span");
#line default
    }

    private sealed class Resource : IAsyncDisposable { public ValueTask DisposeAsync() => default; }
}
