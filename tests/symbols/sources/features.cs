// Every feature of C# 8 that leaves a mark in metadata or in the PDB. Compiled in many ways; see test_differential.py.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Alias = System.Collections.Generic.Dictionary<string, int>;
using static System.Math;

[assembly: CLSCompliant(false)]
[module: DefaultCharSet(CharSet.Unicode)]

namespace Features
{
    using System.Text;

    public enum Colour : byte { Red = 1, Green = 200 }

    public interface IShape<in T, out R> where R : class
    {
        R this[T index] { get; }
        event EventHandler Changed;
        void Draw(int x = 5, string name = "n", decimal d = 1.5m, Colour c = Colour.Green);
        int Default() => 3;
    }

    [StructLayout(LayoutKind.Explicit, Size = 16, Pack = 2)]
    public unsafe struct Union
    {
        [FieldOffset(0)] public long Long;
        [FieldOffset(4)] public int Int;
        [FieldOffset(8)] public fixed byte Bytes[8];
    }

    public delegate ref readonly TResult Handler<T, TResult>(in T item, out int count) where T : struct, IComparable<T>;

    [DebuggerDisplay("{Name}", Name = "the name", Target = typeof(Outer<object>.Inner<string>), Type = "t")]
    [DebuggerTypeProxy(typeof(Outer<>))]
    public class Outer<T>
    {
        public class Inner<U> where U : T
        {
            public Dictionary<T, U[,]> Map = new Dictionary<T, U[,]>();
            public static volatile int Shared;
            public readonly int[][,,] Jagged = null;

            public V Deep<V>(T t, U u, V v) where V : new()
            {
                Func<V> make = () => new V();
                V Local<W>(W w) => w == null ? make() : v;
                return Local(t);
            }
        }

        [DebuggerBrowsable(DebuggerBrowsableState.Never)]
        public string Name { get; set; } = "outer";
    }

    public class Money : IShape<int, string>, IDisposable, IEnumerable<int>, IEquatable<Money>
    {
        public const string Text = "quote \" back \\ nul \0 lone \ud83d pair \ud83d\ude00 \u007f";
        public const double NotANumber = double.NaN;
        public const float Negative = -0f;
        public const ulong Big = ulong.MaxValue;
        public const Colour Paint = Colour.Green;
        public const object Nothing = null;
        public static readonly byte[] Data = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
        private readonly int amount = Environment.TickCount; // initializer
        private event EventHandler changed;

        static Money() { Console.WriteLine(Data.Length); }

        public Money() : this(1) { }
        public Money(int amount) { this.amount += amount; }
        ~Money() { Console.WriteLine("gone"); }

        string IShape<int, string>.this[int index] { get { return index.ToString(); } }
        event EventHandler IShape<int, string>.Changed { add { changed += value; } remove { changed -= value; } }
        public void Draw(int x, string name, decimal d, Colour c) { changed?.Invoke(this, EventArgs.Empty); }
        public string this[int i, string s] { get => s + i; set { Console.WriteLine(value); } }

        public static Money operator +(Money a, Money b) => new Money(a.amount + b.amount);
        public static Money operator -(Money a) => new Money(-a.amount);
        public static bool operator true(Money a) => a.amount != 0;
        public static bool operator false(Money a) => a.amount == 0;
        public static implicit operator int(Money a) => a.amount;
        public static explicit operator Money(string text) => new Money(text.Length);
        public bool Equals(Money other) => other != null && other.amount == amount;

        void IDisposable.Dispose() { }
        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        public IEnumerator<int> GetEnumerator()
        {
            for (var i = 0; i < amount; i++)
            {
                if (i % 2 == 0) continue;
                yield return i;
            }
        }

        [DllImport("libc", EntryPoint = "getpid", SetLastError = true, CharSet = CharSet.Ansi)]
        private static extern int GetProcessId([MarshalAs(UnmanagedType.LPStr)] string text, [In, Out] ref int value);

        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 4)]
        public int[] Marshalled;
    }

    public static class Code
    {
        public static async Task<int> Wait(int amount, dynamic thing, (int first, string second, (int, int inner)) tuple)
        {
            var total = 0;
            for (var i = 0; i < amount; i++)
            {
                await Task.Delay(i);
                var (x, y) = (i, tuple.second);
                total += x + y.Length;
            }
            try
            {
                total += await Other(() => total + amount);
            }
            catch (InvalidOperationException error) when (error.Message.Length > total)
            {
                await Task.Yield();
            }
            finally
            {
                await Task.Yield();
            }
            return total + thing.Length;
        }

        public static async void Forget() { await Task.Yield(); throw new Exception(); }

        private static async Task<T> Other<T>(Func<T> make) { await Task.Yield(); return make(); }

        public static async IAsyncEnumerable<int> Stream([EnumeratorCancellation] System.Threading.CancellationToken token = default)
        {
            for (var i = 0; i < 3; i++) { await Task.Delay(1, token); yield return i; }
        }

        public static IEnumerable<T> Iterate<T>(IEnumerable<T> items, Predicate<T> keep)
        {
            foreach (var item in items)
            {
                const int limit = 3;
                if (keep(item)) yield return item;
                else if (limit == 4) yield break;
            }
        }

        public static unsafe int Pointers(int* p, void** q, string text, ref Union union, __arglist)
        {
            fixed (char* chars = text)
            {
                var copy = stackalloc int[3];
                copy[0] = chars[0];
                union.Bytes[1] = (byte)*p;
                return copy[0] + (q == null ? 0 : 1);
            }
        }

        public static unsafe void CallVarArgs(ref Union union)
        {
            var local = 3;
            Pointers(&local, null, "x", ref union, __arglist(1, "two", 3.0));
        }

        public static void Constants()
        {
            const bool yes = true;
            const char letter = '\ud83d';
            const sbyte s8 = -1; const byte u8 = 255; const short s16 = -2; const ushort u16 = 65535;
            const int s32 = -3; const uint u32 = uint.MaxValue; const long s64 = long.MinValue; const ulong u64 = ulong.MaxValue;
            const float r4 = 1.5f; const double r8 = double.NegativeInfinity;
            const decimal d1 = 1.500m, d2 = -0.0000000000000000000000000001m, d3 = 79228162514264337593543950335m, d4 = 0.00m;
            const string none = null, empty = "", text = "h\u00e9\ud83d";
            const object nothing = null;
            const Colour colour = Colour.Green;
            const Outer<int> generic = null;
            const DayOfWeek day = DayOfWeek.Friday;
            Console.WriteLine("{0}{1}{2}", yes, letter, unchecked(s8 + u8 + s16 + u16 + s32 + u32 + s64 + (long)u64) + r4 + r8);
            Console.WriteLine("{0}{1}{2}{3}{4}{5}{6}{7}{8}", d1, d2, d3, d4, none, empty, text, nothing, colour);
            Console.WriteLine("{0}{1}", generic, day);
        }

        public static void Flow(object value)
        {
            switch (value)
            {
                case int i when i > 3: Console.WriteLine(i); break;
                case string s: Console.WriteLine(s); break;
                case null: goto default;
                default: Console.WriteLine("?"); break;
            }
            switch (value.GetHashCode()) { case 0: case 1: case 2: case 3: case 4: return; case 7: throw null; }
            using (var builder = new System.IO.StringWriter())
            lock (value)
            {
                dynamic[] list = { 1, "two" };
                List<(dynamic a, int b)> pairs = null;
                builder.Write(list.Length + (pairs == null ? 0 : 1));
            }
            try { checked { Abs(value.GetHashCode() + 1); } }
            catch (OverflowException) { }
            catch { throw; }
            finally { GC.Collect(); }
#line 1000 "other/virtual.cs"
            Console.WriteLine("elsewhere");
#line hidden
            Console.WriteLine("hidden");
#line 5 "C:\\mixed/dir\\x.cs"
            Console.WriteLine("mixed");
#line default
            Console.WriteLine("back");
        }

        public static void Query(int[] numbers)
        {
            var outer = 1;
            {
                var middle = 2;
                Func<int, Func<int, int>> curry = a => { var inner = a + outer; return b => inner + b + middle; };
                var q = from n in numbers let sq = n * n where sq > outer orderby sq select new { n, sq };
                Console.WriteLine(q.Sum(item => item.sq) + curry(1)(2));
                int Recursive(int n) => n <= 0 ? 0 : Recursive(n - 1) + middle;
                static int Free(int n) => n * 2;
                Console.WriteLine(Recursive(3) + Free(4));
            }
            Alias alias = new Alias();
            for (int i = 0, j = 10; i < j; i++, j--) alias[i.ToString()] = j;
        }

        public static void Main(string[] args)
        {
            Constants();
            Query(args.Select(a => a.Length).ToArray());
            Console.WriteLine(new Money(3) + new Money(4) + new StringBuilder().Length);
        }
    }
}
