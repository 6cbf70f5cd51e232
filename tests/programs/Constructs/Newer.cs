// What C# 9 to 14 added, several on a line; see Program.cs. Older compilers see one method only.
#if !NET9_0_OR_GREATER
namespace Constructs { internal static class Newer { public static System.Threading.Tasks.Task Run() => System.Threading.Tasks.Task.CompletedTask; } }
#else
using System.Runtime.CompilerServices;
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Constructs;

internal static class Newer
{
    public static async Task Run() /*1*/{ /*1*/Lambdas(); /*1*/Patterns(); /*1*/Members(); /*1*/Small(); /*1*/await Task.Yield(); /*1*/}

    private static void Lambdas()
    /*1*/{
        /*1*/var def = (int v = 7) => /*1*/v + 1; /*1*/def(); /*1*/Func<int, int> st = static v => /*1*/v; /*1*/st(1); /*1*/var method = Id; /*1*/List<Func<int>> made = [() => /*1*/1, () => /*1*/{ /*1*/return 2; /*1*/}]; /*1*/made.ForEach(m => /*2*/m()); /*1*/Action<int> cast = (_) => /*1*/{ /*1*/}; /*1*/cast(1);
        /*1*/Func<int, int> loc = Local; /*1*/loc(1); int Local(int q) /*1*/{ /*1*/return Nested(q); int Nested(int z) => /*1*/z + q; /*1*/}
    /*1*/}

    private static void Patterns()
    /*1*/{
        /*1*/object o = new Pt(1, 2); /*1*/if (o is Pt { X: > 0, Y: var y } p && y is not 3) /*1*/Console.Write(""); /*1*/if (o is not Pt(1, 2)) /*0*/{ /*0*/return; } /*1*/var (x1, y1) = new Pt(5, 6);
        /*1*/var s = o switch { Pt(0, _) => /*0*/"zero", Pt { X: 1 } q /*1*/when q.Y == 3 => /*0*/"no", Pt(var a, var b) /*1*/when a < b => /*1*/$"{a}{b}", _ => /*0*/"" };
        /*1*/int[] arr = [1, 2, 3, .. new[] { 4, 5 }]; /*1*/var k = arr is [1, .., var last] ? last : 0; /*1*/var m = arr switch { [] => /*0*/0, [var f] => /*0*/f, [_, .. var rest] => /*1*/rest.Length }; /*1*/k += m switch { > 3 and < 9 or 11 => /*1*/1, _ => /*0*/2 };
    /*1*/}

    private static void Members()
    /*1*/{
        /*1*/var box = new Box<int>(4); /*1*/var bs = new Box<string>("a"); /*1*/box.Map(x => /*1*/x + 1.5); /*1*/bs.Map(x => /*1*/x.Length); /*1*/Sum<Num>([new(1), new(2)]); /*1*/Sum<Dbl>([new(3)]); /*1*/var sp = new Split { Title = " t " }; /*1*/sp.Both(1); /*1*/sp.Both(2); /*1*/_ = sp.Title; /*1*/_ = new Secret().Value();
        /*1*/var ini = new Init { A = 1, B = 2 }; /*1*/var rec = new Rec(1, "r") { Z = 3 }; /*1*/var rec2 = rec with { X = 2 }; /*1*/var (rx, rs) = rec; /*1*/_ = rec == rec2; /*1*/_ = rec.ToString(); /*1*/var pr = new Prim(3, "n"); /*1*/_ = pr.Twice; /*1*/pr.Bump(); /*1*/var der = new Der(2);
        /*1*/"abc".Shout(); /*1*/_ = "abc".Third; /*1*/string.Make(2); /*1*/_ = 4.IsFour; /*1*/var st = new St(2); /*1*/_ = st.Double; /*1*/_ = Log($"a{1}b{2}"); /*1*/Prm(1, 2, 3);
    /*1*/}

    private static void Small()
    /*1*/{
        /*1*/Span<int> sp = stackalloc int[3]; /*1*/sp[^1] = 2; /*1*/var sl = sp[1..]; /*1*/ReadOnlySpan<byte> u8 = "ab"u8; /*1*/var rs = new RefS(sp); /*1*/rs.Fill(3); /*1*/var raw = $$"""x{{1 + 1}}"""; /*1*/var lk = new System.Threading.Lock(); lock (lk) /*1*/{ /*1*/sp[0] = 1; /*1*/} /*1*/Pt? np = null; /*1*/np?.ToString(); 
        /*1*/dynamic dyn = 3; /*1*/var dd = dyn + 1; /*1*/var tup = (a: 1, b: (c: 2, d: 3)); /*1*/tup.b.c++; /*1*/foreach (/*1*/var (a, b) /*2*/in /*1*/new[] { (1, 2) }) /*1*/{ /*1*/_ = a + b; /*1*/} /*1*/string text = null; /*1*/text ??= "t"; /*1*/rs.Last = 5; /*1*/var n = (rs.Last, text) is (5, "t");
    /*1*/}

    private static T Sum<T>(T[] items) where T : INum<T> /*2*/{ /*2*/T t = T.Zero; /*2*/foreach (/*3*/var it /*5*/in /*2*/items) /*3*/t = t + it; /*2*/return t; /*2*/}
    private static string Log(Handler handler) => /*1*/handler.Text;
    private static int Prm(params ReadOnlySpan<int> xs) => /*1*/xs.Length;
    private static unsafe int Id(int z) /*0*/{ /*0*/delegate*<int, int> fp = &Same; /*0*/return fp(z); static int Same(int y) => /*0*/y; /*0*/}
}

file class Secret { public int Value() => /*1*/42; }
internal readonly record struct Pt(/*5*/int X, /*5*/int Y);
internal class /*2*/Box<T>(T value) { /*2*/readonly T _v = value; public U Map<U>(Func<T, U> f) /*2*/{ U Go() => /*2*/f(_v); /*2*/return Go(); /*2*/} }
internal interface INum<T> where T : INum<T> { static abstract T Zero { get; } static abstract T operator +(T a, T b); static virtual int Rank => /*0*/1; }
internal readonly struct Num(int v) : INum<Num> { /*5*/readonly int _v = v; public static Num Zero => /*1*/new(0); public static Num operator +(Num a, Num b) => /*2*/new(a._v + b._v); }
internal readonly struct Dbl(double v) : INum<Dbl> { /*3*/readonly double _v = v; public static Dbl Zero => /*1*/new(0); public static Dbl operator +(Dbl a, Dbl b) => /*1*/new(a._v + b._v); }
internal class Init { public required int A { /*0*/get; /*1*/init; } public int B { /*0*/get; init => /*1*/field = value + 1; } = /*1*/7; }
internal record /*1*/Rec(/*5*/int X, /*2*/string S) : /*1*/RecBase(X) { public int Z { /*1*/get; /*1*/init; } = /*1*/Calc(1); static int Calc(int i) => /*1*/i; public virtual bool Equals(Rec other) => /*1*/X == other.X; public override int GetHashCode() => /*0*/0; }
internal record /*1*/RecBase(/*1*/int B);
internal class /*2*/Prim(int n, string name) { /*2*/int _n = n; public int Twice => /*1*/n * 2; public void Bump() => /*1*/n++; public string Name { /*0*/get; } = /*2*/name; /*2*/Func<int> _f = () => /*0*/1; }
internal class Der(int z) : /*1*/Prim(z + 1, "d");
internal struct St { public int A; public St(int a) /*1*/{ /*1*/A = a; /*1*/} public readonly int Double => /*1*/A * 2; }
internal static class Ext { extension(string s) { public string Shout() /*1*/{ /*1*/return s.ToUpper(); } public char Third => /*1*/s[2]; public static string Make(int n) => /*1*/new('x', n); } extension(int i) { public bool IsFour => /*1*/i == 4; } }
internal ref struct RefS(Span<int> s) { /*1*/Span<int> _s = s; public void Fill(int v) => /*1*/_s.Fill(v); public int Last { get => /*1*/_s[^1]; set => /*1*/_s[^1] = value; } }
[InterpolatedStringHandler] internal ref struct Handler { string _t; public Handler(int a, int b) /*1*/{ /*1*/_t = ""; /*1*/} public void AppendLiteral(string s) => /*2*/_t += s; public void AppendFormatted<T>(T t) => /*2*/_t += t; public string Text => /*1*/_t; }
internal partial class Split { public partial int Both(int x); public partial string Title { get; set; } /*1*/private int _offset = 5; }
internal partial class Split { public partial int Both(int x) /*2*/{ /*2*/return x + _offset; /*2*/} public partial string Title { get => /*1*/field ?? "none"; set => /*1*/field = value.Trim(); } }
#endif
