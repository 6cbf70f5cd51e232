// Every construct of C# 8, several on a line. A number in a comment says that a statement begins behind it, and how often
// it is executed in one run; there are no other statements. With a plus, compilers before that of .NET 5 do not tell it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Tally = System.Collections.Generic.Dictionary<string, int>;

namespace Constructs
{
    internal static class Program
    {
        private static async Task<int> Main(string[] args) /*1*/{ /*1*/Settle(); /*1*/Lambdas(); /*1*/Statements(); /*1*/Loops(); /*1*/Tries(); /*1*/Members(); /*1*/await Asynchronous(); /*1*/await Newer.Run(); /*1*/return 0; /*1*/}

        // A hit while the finalizer or the thread pool prepares its first method can deadlock the runtime (decision 0010).
        private static void Settle() /*1*/{ /*1*/Leave(); /*1*/(new Action(GC.Collect) + GC.WaitForPendingFinalizers)(); /*1*/Task.Delay(20).Wait(); /*1*/}
        private static void Leave() /*1*/{ /*1*/new WeakReference<object>(new object()); /*1*/}

        private static void Lambdas()
        /*1*/{
            /*1*/Action a = () => /*1*/{ /*1*/Action b = () => /*1*/{ /*1*/Action c = () => /*1*/Console.Write(""); /*1*/c(); /*1*/}; /*1*/b(); /*1*/}; /*1*/a();
            /*1*/Func<int, Func<int, int>> curry = x => /*2*/y => /*2*/x + y; /*1*/var sum = curry(1)(2) + curry(3)(4); int Twice(int x) => /*2*/x * sum; /*1*/Twice(1); /*1*/Twice(2);
            /*1*/var xs = new[] { 1, 2, 3 }.Where(x => /*3*/x > 1).Select(x => /*2*/new { x, y = x * 2 }).OrderBy(p => /*2*/p.y).ToList();
            /*1*/var q = from x in new[] { 1, 2 } let d = /*2*/x * 2 /*6*/from y in /*2*/new[] { 5, 6, 7 } where /*6*/y != 6 orderby /*4*/d, /*4*/y descending select /*4*/d + y; /*1*/var l = q.ToList();
            /*1*/var j = (from x in new[] { 1, 2 } join z in new[] { 2, 3 } on /*2*/x equals /*2*/z select /*1*/x + z).ToList();
            /*1*/var g = (from x in new[] { 1, 2, 3 } group /*3*/x * 10 by /*3*/x % 2 into h select /*2*/h.Key + h.Sum()).ToArray();
            /*1*/Func<int, int> fact = null; /*1*/fact = k => /*4*/k <= 1 ? 1 : k * fact(k - 1); /*1*/fact(4);
            static int Fib(int k) => /*5*/k < 2 ? k : Fib(k - 1) + Fib(k - 2); /*1*/Fib(3);
            /*1*/Func<object, string> sw = o => /*3*/o switch { int i /*1+*/when i > 5 => /*1+*/"big", string s => /*1+*/s, _ => /*1+*/"other" }; /*1*/sw(9); /*1*/sw("x"); /*1*/sw(null);
            /*1*/var made = new List<Func<int>>(); /*1*/foreach (/*2*/var v /*3*/in /*1*/new[] { 1, 2 }) /*2*/{ /*2*/int w = v; /*2*/made.Add(() => /*2*/v + w); /*2*/} /*1*/made.ForEach(m => /*2*/m());
            /*1*/var old = new Func<int, int>(delegate (int z) /*1*/{ /*1*/return z; /*1*/}); /*1*/old(1);
            /*1*/System.Linq.Expressions.Expression<Func<int, int>> tree = z => z + 1; /*1*/tree.Compile()(1);
        /*1*/}

        private static int Statements()
        /*1*/{
            /*1*/int a = 1; /*1*/int b = a + 1, /*1*/c = b; /*1*/(int d, int e) = (a, b); /*1*/{ /*1*/a++; /*1*/} /*1*/;
            /*1*/if (a > 5) /*0*/{ /*0*/b++; /*0*/} else /*1*/if (a > 1) /*1*/{ /*1*/b--; /*1*/} else /*0*/c++;
            /*1*/switch (a) { case 1: /*0*/b = 1; /*0*/break; case 2 /*1*/when b > 0: /*1*/b = 2; /*1*/goto case 3; case 3: /*1*/b = 3; /*1*/break; default: /*0*/break; }
            /*3*/again: /*3*/c++; /*3*/if (c < 5) /*2*/goto again; /*1*/var t = a > 0 ? b : c; /*1*/t += a switch { 1 => /*0+*/10, 2 => /*1+*/20, _ => /*0+*/30 };
            /*1*/t = (a, b) switch { (2, 3) => /*1+*/c switch { 5 => /*1+*/1, _ => /*0+*/2 }, _ => /*0+*/3 };
            checked /*1*/{ /*1*/a += 1; /*1*/} unchecked /*1*/{ /*1*/a += int.MaxValue; /*1*/} /*1*/lock (typeof(Program)) /*1*/{ /*1*/a = 0; /*1*/}
            using (/*1*/var d1 = new Disposed()) using (/*1*/var d2 = new Disposed()) /*1*/{ /*1*/a++; /*1*/} /*1*/using var d3 = new Disposed(); const int K = 3; /*1*/a += K;
            do /*3*/a++; /*3*/while (a < 7); /*3*/while (a < 9) /*2*/a++; /*1*/ref int r = ref a; /*1*/r = 4;
            /*1*/object o = new Outer<int>(); /*1*/if (o is Outer<int> { Length: 0 } p && p.Length is var y) /*1*/Console.Write(y == 1 ? "" : ""); /*1*/if (!(o is string)) /*1*/{ /*1*/c--; /*1*/}
            unsafe /*1*/{ /*1*/int v = 1; /*1*/int* at = &v; /*1*/*at = 2; fixed (/*1*/int* first = new[] { 1, 2 }) /*1*/{ /*1*/first[0] = 3; /*1*/} /*1*/}
            /*1*/return a;
        /*1*/}

        private static T[] Generic<T, U>(U seed, Func<U, T> make) /*3*/{ /*3*/var made = new T[2]; for (/*3*/int i = 0; /*9*/i < 2; /*6*/i++) /*6*/made[i] = make(seed); /*3*/return made; /*3*/}

        private static IEnumerable<int> Sequence(int n) /*1*/{ try /*1*/{ for (/*1*/int i = 0; /*4*/i < n; /*3*/i++) /*3*/yield return i; /*1*/if (n > 2) /*1*/yield break; /*0*/yield return 9; /*0*/} finally /*1*/{ /*1*/n = 0; /*1*/} /*0*/}

        private static async IAsyncEnumerable<int> Stream(int n) /*1*/{ for (/*1*/int i = 0; /*3*/i < n; /*2*/i++) /*2*/{ /*2*/await Task.Yield(); /*2*/yield return i; /*2*/} /*1*/}

        private static void Loops()
        /*1*/{
            for (/*1*/int i = 0; /*4*/i < 3; /*3*/i++) /*3*/{ /*3*/if (i == 1) /*1*/continue; /*2*/Console.Write(""); /*2*/} for (;;) /*1*/{ /*1*/break; }
            for (/*1*/int i = 0, /*1*/j = 10; /*3*/i < j && i < 2; /*2*/i++, /*2*/j--) for (;;) /*2*/break; /*1*/foreach (/*2*/ref var r /*3*/in /*1*/new Span<int>(new[] { 1, 2 })) /*2*/r++;
            /*1*/foreach (/*3*/var x /*4*/in /*1*/Sequence(3)) /*3*/Console.Write(""); /*1*/foreach (/*2*/var (k, v) /*3*/in /*1*/new[] { ("a", 1), ("b", 2) }) /*2*/{ /*2*/_ = k + v; /*2*/}
            /*1*/foreach (/*2*/var c /*2*/in /*1*/"ab") /*2*/{ /*2*/if (c == 'b') /*1*/{ /*1*/break; } /*1*/Console.Write(""); /*1*/} /*1*/new Tally { ["a"] = 1 }.Clear();
        /*1*/}

        private static int Tries()
        /*1*/{
            try /*1*/{ /*1*/Throw(1); /*0*/} catch (InvalidOperationException e) /*1*/when (e.Message == "no") /*0*/{ /*0*/return 1; } catch (Exception e) /*1*/when (Filter(e)) /*1*/{ /*1*/Console.Write(""); /*1*/} finally /*1*/{ /*1*/Console.Write(""); /*1*/}
            try /*1*/{ try /*1*/{ /*1*/Throw(2); /*0*/} finally /*1*/{ /*1*/Console.Write(""); /*1*/} /*0*/} /*1*/catch /*1*/{ /*1*/Console.Write(""); /*1*/} /*1*/Action t = () => /*1*/throw new Exception("x"); try /*1*/{ /*1*/t(); /*0*/} /*1*/catch (Exception) /*1*/{ /*1*/}
            /*1*/string none = null; try /*1*/{ /*1*/var z = none ?? throw new ArgumentException("z"); /*0*/} /*1*/catch (ArgumentException) /*1*/{ /*1*/return 2; }
            /*0*/return 0;
        /*1*/}

        private static bool Filter(Exception e) => /*1*/e != null;

        private static void Throw(int n) => /*2*/throw new InvalidOperationException("bad" + n);

        private static void Members()
        /*1*/{
            /*1*/var v = new Vector(1, 2) + new Vector(3, 4); /*1*/v++; /*1*/int i = (int)v; /*1*/Vector w = 5; /*1*/var e = v[0] + v["x"]; /*1*/v[1] = 3;
            /*1*/Generic(1, x => /*2*/x + 1); /*1*/Generic("a", x => /*2*/x.Length); /*1*/Generic<object, DateTime>(default, x => /*2*/x); /*1*/new Outer<int>.Inner<string>().Go(1); /*1*/new Outer<string>.Inner<string>().Go("");
            /*1*/IShow shown = new Shown(); /*1*/shown.Show(); /*1*/var held = new Held { A = 1 }; /*1*/held.Happened += (s, x) => /*1*/Console.Write(""); /*1*/held.Fire(); /*1*/Lazy.Touch();
        /*1*/}

        private static async Task Asynchronous()
        /*1*/{
            /*1*/await Task.Yield(); /*1*/var x = await Value(1) + await Value(2); /*1*/Func<int, Task<int>> al = async k => /*1*/{ /*1*/await Task.Yield(); /*1*/return await Value(k); /*1*/}; /*1*/await al(3); /*1*/Func<Task<int>> ae = async () => /*1*/await Value(4); /*1*/await ae();
            /*1*/await foreach (/*2*/var i /*3*/in /*1*/Stream(2)) /*2*/Console.Write(""); /*1*/await using var ad = new DisposedLater(); try /*1*/{ /*1*/await Task.FromException(new Exception("q")); /*0*/} catch (Exception e) /*1*/when (e.Message == "q") /*1*/{ /*1*/await Task.Yield(); /*1*/} finally /*1*/{ /*1*/await Task.Yield(); /*1*/}
            /*1*/await Task.WhenAll(Enumerable.Range(0, 3).Select(async i => /*3*/{ /*3*/await Task.Delay(1); /*3*/x += i; /*3*/})); async Task<int> Local() => /*1*/await Value(5); /*1*/await Local(); /*1*/await Slow(); /*1*/x = await new ValueTask<int>(1);
        /*1*/}

        private static async Task<int> Value(int v) /*5*/{ /*5*/await Task.Yield(); /*5*/return v; /*5*/}

        private static async ValueTask Slow() => /*1*/await Task.Delay(1);
    }

    internal class Disposed : IDisposable { public void Dispose() /*3*/{ /*3*/} }

    internal class DisposedLater : IAsyncDisposable { public ValueTask DisposeAsync() /*1*/{ /*1*/return default; /*1*/} }

    internal class Vector
    {
        /*5*/private int _x = 1, /*5*/_y = 2; /*5*/public Vector(int x, int y) /*5*/{ /*5*/_x = x; /*5*/_y = y; /*5*/} public Vector(int both) : /*1*/this(both, both) /*1*/{ /*1*/}
        public static Vector operator +(Vector a, Vector b) => /*1*/new Vector(a._x + b._x, a._y + b._y); public static Vector operator ++(Vector a) => /*1*/new Vector(a._x + 1, a._y);
        public static explicit operator int(Vector a) => /*1*/a._x; public static implicit operator Vector(int a) => /*1*/new Vector(a);
        public int this[int i] { get /*1*/{ /*1*/return i == 0 ? _x : _y; /*1*/} set /*1*/{ /*1*/if (i == 0) /*0*/_x = value; else /*1*/_y = value; /*1*/} } public int this[string n] => /*1*/n.Length;
    }

    internal class Outer<T> { public int Length; public class Inner<U> { /*2*/private readonly T _default = default; public void Go<V>(V value) /*2*/{ V Copy() => /*2*/value; /*2*/Copy(); /*2*/} } }

    internal interface IShow { void Show() /*1*/{ /*1*/Name(); /*1*/Helper(); /*1*/} private void Name() => /*1*/Console.Write(""); static void Helper() => /*1*/Console.Write(""); }

    internal class Shown : IShow { }

    internal partial class Held { public int A { /*0*/get; /*1*/set; } = /*1*/Start(1); private EventHandler _h; public event EventHandler Happened { add /*1*/{ /*1*/_h += value; /*1*/} remove => /*0*/_h -= value; } public void Fire() => /*1*/_h?.Invoke(this, null); }

    internal partial class Held { private static int Start(int n) => /*2*/n + 1; /*1*/private readonly int _b = Start(2); }

    internal static class Lazy { /*1*/private static int A = 1, /*1*/B = 2; /*1*/private static readonly Func<int> F = () => /*1*/A + B; static Lazy() /*1*/{ /*1*/A = 5; /*1*/} public static int Touch() => /*1*/F(); }
}
