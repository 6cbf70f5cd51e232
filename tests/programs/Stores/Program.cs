using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Stores
{
    // Every form of store that C# 8 has, each followed by a call of Log.See, which writes what has changed since the last
    // one as "field=value", after "other " when it is not of the object that Main has made first. Every scenario stores
    // values of its own hundred, so that a value tells where it comes from.
    public struct Point
    {
        public int X;
        public int Y;

        public Point(int x, int y) { X = x; Y = y; }

        public void Move(int x) { X = x; }

        public void Become(int x) { this = new Point(x, x); }

        public override string ToString() => $"{{X = {X}, Y = {Y}}}";
    }

    public struct Inner
    {
        public int X;
        public int Z;

        public int Auto { get; set; }

        public override string ToString() => $"{{X = {X}, Z = {Z}, Auto = {Auto}}}";
    }

    public struct Outer
    {
        public Inner I;
        public int Z;

        public override string ToString() => $"{{I = {I}, Z = {Z}}}";
    }

    public class Base
    {
        public int Low;
    }

    public class Holder : Base
    {
        public static int S;
        public static Point SP;
        public int A;
        public int B;
        public Point Pt;
        public Outer O;
        public int? N;
        public readonly int Fixed;
        public int[] Numbers = new int[2];
        public Point[] Points = new Point[3];

        public Holder() { }

        public Holder(int value)
        {
            A = value;
            Fixed = value + 1;
        }

        public int Auto { get; set; }

        public int Property { get => A; set => A = value; }

        public int this[int index] { get => A; set => A = value + index; }

        public ref int Ref => ref A;

        public ref int Choose(bool first) => ref first ? ref A : ref B;

        public Span<int> Span => MemoryMarshal.CreateSpan(ref A, 1);

        public int Swap(int value) => Interlocked.Exchange(ref A, value);

        public void Deconstruct(out int a, out int b) { a = A; b = B; }
    }

    public class Box<T>
    {
        public T Content;
        public static T Shared;

        public void Put(T value) { Content = value; }

        public void Fill(ref T target, T value) { target = value; }
    }

    public static class Log
    {
        private static readonly Dictionary<object, Dictionary<string, string>> Last =
            new Dictionary<object, Dictionary<string, string>>(new ByReference());

        private static readonly object Statics = new object();

        public static Holder First;

        // How many changes were written; a debugger reads it.
        public static int Written;

        // What has changed in the statics and in an object that is known.
        public static void See(Holder one = null)
        {
            lock (Statics)
            {
                Now(Statics, "Holder.S", Holder.S, "0");
                Now(Statics, "Holder.SP", Holder.SP, new Point().ToString());
                if (one is null) return;
                Now(one, "Base.Low", one.Low, "0");
                Now(one, "Holder.A", one.A, "0");
                Now(one, "Holder.B", one.B, "0");
                Now(one, "Holder.Pt", one.Pt, new Point().ToString());
                Now(one, "Holder.O", one.O, new Outer().ToString());
                Now(one, "Holder.N", one.N, "null");
                Now(one, "Holder.Auto", one.Auto, "0");
                Now(one, "Holder.Fixed", one.Fixed, "0");
            }
        }

        public static void See<T>(Box<T> box)
        {
            Now(box, "Box.Content", box.Content, "0");
            Now(typeof(Box<T>), "Box.Shared", Box<T>.Shared, "0");
        }

        public static void Local(string name, object key, int value) => Now(key, name, value, "0");

        private static void Now(object owner, string field, object value, string first)
        {
            if (!Last.TryGetValue(owner, out var of)) Last[owner] = of = new Dictionary<string, string>();
            if (!of.TryGetValue(field, out var last)) last = first;
            var text = value is null ? "null" : value.ToString();
            of[field] = text;
            string other = owner is Holder && !ReferenceEquals(owner, First) ? "other " : "";
            if (text == last) return;
            Console.WriteLine($"{other}{field}={text}");
            Written++;
        }

        private class ByReference : IEqualityComparer<object>
        {
            bool IEqualityComparer<object>.Equals(object one, object other) => ReferenceEquals(one, other);

            public int GetHashCode(object one) => RuntimeHelpers.GetHashCode(one);
        }
    }

    public static class Program
    {
        public static int Main(string[] args)
        {
            Holder c = Log.First = new Holder();
            Start(c);
            Plain(c);
            Compound(c);
            Conditions(c);
            Returned(c);
            Structs(c);
            NestedStructs(c);
            Deconstruction(c);
            ByReference(c);
            Given(c);
            RefLocals(c);
            RefReturned(c);
            Spans(c);
            Pointers(c);
            Atomic(c);
            Statics();
            StaticReferences();
            Nullables(c);
            Lambdas(c);
            Threads(c);
            Captured();
            foreach (int value in Numbers(c)) Nothing(value);
            Later(c).Wait();
            Exceptions(c);
            Initialised(c);
            Constructed();
            Arrays(c);
            Inherited(c);
            Generics();
            UnsafeStores(c);
            Reflected(c);
            Recursion(c, 3);
            Loops(c);
            Patterns(c);
            Swapped(c);
            LateReferences(c);
            return 0;
        }

        private static void Start(Holder c) => Console.WriteLine("begin"); // @start

        private static int Nothing(int value) => value;

        private static void Plain(Holder c)
        {
            c.A = 101;
            Log.See(c);
            c.A = c.B = 102;
            Log.See(c);
            c.Auto = 103;
            Log.See(c);
            c.Property = 104;
            Log.See(c);
            c[1] = 104;
            Log.See(c);
            Nothing(c.A = 106);
            Log.See(c);
            if (c.A > 0) c.A = 107; else c.A = 108;
            Log.See(c);
            c.A = c.A > 0 ? 109 : 110;
            Log.See(c);
        }

        private static void Compound(Holder c)
        {
            c.A = 200;
            Log.See(c);
            c.A++;
            Log.See(c);
            ++c.A;
            Log.See(c);
            c.A += 2;
            Log.See(c);
            c.A |= 7;
            Log.See(c);
            c.A <<= 0;
            int got = c.A--;
            Log.See(c);
            got = --c.A;
            Log.See(c);
            c.Auto = 210;
            Log.See(c);
            c.Auto += 5;
            Log.See(c);
            c[0]++;
            Log.See(c);
            checked { c.A += Nothing(1); }
            Log.See(c);
        }

        private static bool Is(int value) => value > 0;

        private static bool See(Holder c)
        {
            Log.See(c);
            return true;
        }

        private static void Conditions(Holder c)
        {
            if (Is(c.A = 301) && See(c) && (c.A = 302) > 3) Log.See(c);
            while ((c.A = c.A + 1) < 305) Log.See(c);
            Log.See(c);
            for (c.A = 310; c.A < 312; c.A++) Log.See(c);
            Log.See(c);
            switch (c.A = 320)
            {
                case 320:
                    Log.See(c);
                    break;
            }
            int chosen = c.A == 320 ? c.A = 321 : 0;
            Log.See(c);
            string text = $"{c.A = 322} and {c.B = 323}";
            Log.See(c);
            do c.A++; while (c.A < 323);
            Log.See(c);
            lock (c) c.A = 330;
            Log.See(c);
        }

        private static int Return(Holder c) => c.A = 401;

        private static int Return2(Holder c) => Nothing(c.A = 402);

        private static int Return3(Holder c) { return Interlocked.Increment(ref c.A); }

        private static int Return4(Holder c) => c.Pt.X = 404;

        private static bool Return5(Holder c) => int.TryParse("405", out c.A);

        private static int Return6(Holder c) => c.Pt.X++;

        private static void Returned(Holder c)
        {
            Return(c);
            Log.See(c);
            Return2(c);
            Log.See(c);
            Return3(c);
            Log.See(c);
            Return4(c);
            Log.See(c);
            Return5(c);
            Log.See(c);
            Return6(c);
            Log.See(c);
        }

        private static void Structs(Holder c)
        {
            c.Pt = new Point { X = 501, Y = 1 };
            Log.See(c);
            c.Pt.X = 502;
            Log.See(c);
            c.Pt.X++;
            Log.See(c);
            c.Pt.X += 2;
            Log.See(c);
            c.Pt.Move(510);
            Log.See(c);
            c.Pt.Become(511);
            Log.See(c);
            c.Pt = default;
            Log.See(c);
            c.Pt = new Point(512, 2);
            Log.See(c);
            int got = c.Pt.X--;
            Log.See(c);
            var copy = c.Pt;
            copy.X = 599;
            c.Pt = copy;
            Log.See(c);
        }

        private static void NestedStructs(Holder c)
        {
            c.O.I.X = 602;
            Log.See(c);
            c.O.I.X++;
            Log.See(c);
            c.O.Z = 604;
            Log.See(c);
            int.TryParse("605", out c.O.Z);
            Log.See(c);
            int.TryParse("606", out c.O.I.Z);
            Log.See(c);
            c.O.I = new Inner { X = 607 };
            Log.See(c);
            c.O.I.Auto = 608;
            Log.See(c);
            c.O.I.Auto++;
            Log.See(c);
            c.O = default;
            Log.See(c);
            Fill(ref c.O.I, 610);
            Log.See(c);
        }

        private static void Fill(ref Inner inner, int value) { inner.X = value; }

        private static void Deconstruction(Holder c)
        {
            (c.A, c.B) = (701, 702);
            Log.See(c);
            (c.Pt.X, c.Pt.Y) = (704, 705);
            Log.See(c);
            (c.Pt.X, c.Pt.Y) = (c.Pt.Y, c.Pt.X);
            Log.See(c);
            (c.O.I.X, c.A) = Pair(706);
            Log.See(c);
            Holder source = new Holder(707);
            Log.See(source);
            source.Deconstruct(out c.O.Z, out c.Pt.Y);
            Log.See(c);
            (c.A, (c.B, c.Pt)) = (708, (709, new Point(710, 710)));
            Log.See(c);
        }

        private static (int, int) Pair(int value) => (value, value + 1);

        private static void Fill(ref int target, int value) { target = value; }

        private static void Take(out int target, int value) { target = value; }

        private static int Read(in int target) => target;

        private static void ByReference(Holder c)
        {
            Fill(ref c.A, 801);
            Log.See(c);
            Take(out c.A, 802);
            Log.See(c);
            Read(in c.A);
            Log.See(c);
            Fill(ref c.Pt.X, 804);
            Log.See(c);
            int.TryParse("805", out c.A);
            Log.See(c);
            Fill(ref c.A, Nothing(c.B = 806));
            Log.See(c);
            new Dictionary<string, int> { ["a"] = 807 }.TryGetValue("a", out c.A);
            Log.See(c);
        }

        private static void Given(Holder c)
        {
            Fill(ref (Is(1) ? ref c.A : ref c.B), 901);
            Log.See(c);
            Fill(ref Pass(ref c.A), 902);
            Log.See(c);
            Pass(ref c.A) = 903;
            Log.See(c);
            Pass(ref c.A)++;
            Log.See(c);
            (Is(1) ? ref c.A : ref c.B) = 905;
            Log.See(c);
            Action<int> fill = value => Fill(ref c.A, value);
            fill(906);
            Log.See(c);
        }

        private static ref int Pass(ref int target) => ref target;

        private static void RefLocals(Holder c)
        {
            ref int r = ref c.A;
            r = 1001;
            Log.See(c);
            r++;
            Log.See(c);
            Fill(ref r, 1003);
            Log.See(c);
            for (int i = 0; i < 3; i++)
            {
                r += 1;
                Log.See(c);
            }
            ref Point p = ref c.Pt;
            p.X = 1010;
            Log.See(c);
            p = new Point(1011, 1011);
            Log.See(c);
            p.Move(1012);
            Log.See(c);
            ref int inner = ref c.O.I.X;
            inner = 1013;
            Log.See(c);
            ref int chosen = ref r;
            chosen = 1014;
            Log.See(c);
            chosen = ref c.B;
            chosen = 1015;
            Log.See(c);
            int after = r = 1016;
            Log.See(c);
            Interlocked.Exchange(ref r, 1017);
            Log.See(c);
        }

        private static void RefReturned(Holder c)
        {
            c.Ref = 1101;
            Log.See(c);
            c.Ref++;
            Log.See(c);
            c.Choose(true) = 1103;
            Log.See(c);
            ref int kept = ref c.Ref;
            kept = 1104;
            Log.See(c);
        }

        private static void Spans(Holder c)
        {
            Span<int> span = MemoryMarshal.CreateSpan(ref c.A, 1);
            span[0] = 1201;
            Log.See(c);
            span.Fill(1202);
            Log.See(c);
            Fill(span, 1203);
            Log.See(c);
            c.Span[0] = 1204;
            Log.See(c);
        }

        private static void Fill(Span<int> span, int value) { span[0] = value; }

        private static unsafe void Pointers(Holder c)
        {
            fixed (int* pointer = &c.A)
            {
                *pointer = 1301;
                Log.See(c);
                pointer[0]++;
                Log.See(c);
                Fill(pointer, 1303);
                Log.See(c);
            }
        }

        private static unsafe void Fill(int* pointer, int value) { *pointer = value; }

        private static void Atomic(Holder c)
        {
            Interlocked.Exchange(ref c.A, 1401);
            Log.See(c);
            Interlocked.Increment(ref c.A);
            Log.See(c);
            Interlocked.CompareExchange(ref c.A, 1403, 1402);
            Log.See(c);
            Interlocked.Add(ref c.A, 1);
            Log.See(c);
            Volatile.Write(ref c.A, 1405);
            Log.See(c);
            c.Swap(1406);
            Log.See(c);
        }

        private static void Statics()
        {
            Holder.S = 1501;
            Log.See();
            Holder.S++;
            Log.See();
            Holder.SP.X = 1503;
            Log.See();
            Holder.SP.X++;
            Log.See();
            Holder.SP = new Point(1505, 1505);
            Log.See();
            Holder.SP.Move(1506);
            Log.See();
            Holder.SP.Become(1507);
            Log.See();
            (Holder.SP.X, Holder.S) = (1508, 1509);
            Log.See();
        }

        private static void StaticReferences()
        {
            Fill(ref Holder.S, 1601);
            Log.See();
            int.TryParse("1602", out Holder.SP.Y);
            Log.See();
            ref int r = ref Holder.S;
            r = 1603;
            Log.See();
            Interlocked.Increment(ref Holder.S);
            Log.See();
            ref Point p = ref Holder.SP;
            p.X = 1605;
            Log.See();
        }

        private static void Nullables(Holder c)
        {
            c.N = 1701;
            Log.See(c);
            c.N++;
            Log.See(c);
            c.N = null;
            Log.See(c);
            c.N ??= 1703;
            Log.See(c);
            c.N ??= 1704;
            Log.See(c);
        }

        private static void Lambdas(Holder c)
        {
            Action store = () => c.A = 1801;
            store();
            Log.See(c);
            Func<int> returns = () => c.A = 1802;
            returns();
            Log.See(c);
            Func<int> atomic = () => Interlocked.Increment(ref c.A);
            atomic();
            Log.See(c);
            new List<int> { 1804, 1805 }.ForEach(value => { c.A = value; Log.See(c); });
            foreach (int value in new[] { 1806, 1807 }.Select(value => c.A = value)) Log.See(c);
            foreach (int value in new[] { 1808, 1809 }.Select(value => Interlocked.Exchange(ref c.A, value))) Log.See(c);
            void Local(int value) => c.A = value;
            Local(1810);
            Log.See(c);
            int Returning() => Nothing(c.A = 1811);
            Returning();
            Log.See(c);
        }

        private static void Threads(Holder c)
        {
            Thread thread = new Thread(() => c.A = 1901);
            thread.Start();
            thread.Join();
            Log.See(c);
            Task.Run(() => c.A = 1902).Wait();
            Log.See(c);
            Task.Run(() => Interlocked.Increment(ref c.A)).Wait();
            Log.See(c);
            Task.Run(() => Nothing(c.A = 1904)).Wait();
            Log.See(c);
            Task.Run(() => Interlocked.Exchange(ref Holder.S, 1906)).Wait();
            Log.See(c);
            Task.Run(() => Interlocked.Exchange(ref Holder.SP.X, 1907)).Wait();
            Log.See(c);
            Task.Run(async () => { await Task.Yield(); c.A = 1905; }).Wait();
            Log.See(c);
        }

        private static void Captured()
        {
            int seen = 0;
            object key = new object();
            Action<int> set = value => seen = value;
            CapturedHere();
            seen = 2001;
            Log.Local("seen", key, seen);
            set(2002);
            Log.Local("seen", key, seen);
            seen++;
            Log.Local("seen", key, seen);
            Fill(ref seen, 2004);
            Log.Local("seen", key, seen);
            int.TryParse("2005", out seen);
            Log.Local("seen", key, seen);
            (seen, _) = (2006, 0);
            Log.Local("seen", key, seen);
        }

        private static void CapturedHere() { } // @captured

        private static IEnumerable<int> Numbers(Holder c)
        {
            object key = new object();
            int current = 2101;
            Log.Local("current", key, current);
            yield return c.A = 2102;
            Log.See(c);
            current++;
            Log.Local("current", key, current);
            try
            {
                yield return current = 2103;
                Log.Local("current", key, current);
            }
            finally
            {
                c.A = 2104;
                Log.See(c);
            }
            Fill(ref current, 2105);
            Log.Local("current", key, current);
        }

        private static async Task<int> Value(int value)
        {
            await Task.Yield();
            return value;
        }

        private static async Task Later(Holder c)
        {
            object key = new object();
            int local = 2201;
            Log.Local("local", key, local);
            c.A = await Value(2202);
            Log.See(c);
            local = await Value(2203);
            Log.Local("local", key, local);
            c.A += await Value(1);
            Log.See(c);
            c.Pt = new Point(await Value(2205), 0);
            Log.See(c);
            Fill(ref local, 2206);
            Log.Local("local", key, local);
            local += await Value(1);
            Log.Local("local", key, local);
            try
            {
                c.A = await Value(2208);
                Log.See(c);
                throw new Exception();
            }
            catch (Exception)
            {
                c.A = await Value(2209);
                Log.See(c);
            }
            finally
            {
                c.A = 2210;
                Log.See(c);
            }
            await foreach (int value in Slowly(c)) Log.See(c);
        }

        private static async IAsyncEnumerable<int> Slowly(Holder c)
        {
            c.A = 2211;
            Log.See(c);
            await Task.Yield();
            yield return c.A = 2212;
            c.A = 2213;
            Log.See(c);
        }

        private static int Throw() => throw new InvalidOperationException();

        private static int Sum(int one, int other) => one + other;

        private static void FillAndThrow(ref int target, int value)
        {
            target = value;
            Throw();
        }

        private static void Leave(Holder c)
        {
            Sum(Nothing(1), Sum(c.A = 2304, Throw()));
        }

        private static void Exceptions(Holder c)
        {
            try { c.A = 2301; Throw(); }
            catch (InvalidOperationException) { Log.See(c); }
            try { Sum(c.A = 2302, Throw()); }
            catch (InvalidOperationException) { Log.See(c); }
            try { FillAndThrow(ref c.A, 2303); }
            catch (InvalidOperationException) { Log.See(c); }
            try { Leave(c); }
            catch (InvalidOperationException) { Log.See(c); } // @left-by-exception
            try { Throw(); }
            catch (InvalidOperationException) when ((c.A = 2305) > 0) { Log.See(c); }
            finally { c.A = 2306; }
            Log.See(c);
            try
            {
                try { Sum(c.A = 2307, Throw()); }
                finally { Log.See(c); }
            }
            catch (InvalidOperationException) { }
        }

        private static void Initialised(Holder c)
        {
            Holder made = new Holder { A = 2401, Pt = new Point { X = 2402 }, N = 2403 };
            Log.See(made);
            made = new Holder(2404) { B = 2405 };
            Log.See(made);
            c.Pt = new Point { X = 2406, Y = Nothing(c.A = 2407) };
            Log.See(c);
        }

        private static void Constructed()
        {
            Log.See(new Holder(2501));
            Holder made = new Holder(2503);
            Log.See(made);
        }

        private static void Arrays(Holder c)
        {
            int i = 0;
            Holder[] holders = { c, new Holder() };
            holders[i++].A = 2601;
            Log.See(c);
            holders[0].Pt.X = 2602;
            Log.See(c);
            holders[1].A = 2603;
            Log.See(holders[1]);
            c.Points[i++].X = 2604;
            c.Points[i].X = 2605;
            c.Numbers[0] = 2606;
            Log.See(c);
            Point[] points = new Point[2];
            points[1].X = 2607;
            points[0].Move(2608);
            c.Pt = points[0];
            Log.See(c);
            Point[] more = { new Point(1, 1), new Point(2, 2) };
            ArraysOfStructs(more); // @elements
            Fill(ref holders[0].A, 2609);
            Log.See(c);
        }

        private static void ArraysOfStructs(Point[] points)
        {
            int i = 0;
            points[i++].X = 3;
            points[1].X = 4; // @after-element
            points[i].X++;
            i = 1; // @elements-end
        }

        private static void Inherited(Holder c)
        {
            c.Low = 2701;
            Log.See(c);
            ((Base)c).Low++;
            Log.See(c);
        }

        private static void Generics()
        {
            Box<int> box = new Box<int>();
            box.Put(2801);
            Log.See(box);
            box.Fill(ref box.Content, 2802);
            Log.See(box);
            Box<int>.Shared = 2803;
            Log.See(box);
            Store(box, 2804);
            Log.See(box);
            Box<int>.Shared++;
            Log.See(box);
        }

        private static void Store<T>(Box<T> box, T value)
        {
            box.Content = value;
            Box<T>.Shared = value;
        }

        private static unsafe void UnsafeStores(Holder c)
        {
            Unsafe.As<int, uint>(ref c.A) = 2901;
            Log.See(c);
            MemoryMarshal.Cast<int, byte>(MemoryMarshal.CreateSpan(ref c.A, 1))[0]++;
            Log.See(c);
            int* pointer = (int*)Unsafe.AsPointer(ref c.A);
            *pointer = 2903;
            Log.See(c);
        }

        private static void Reflected(Holder c)
        {
            typeof(Holder).GetField("A").SetValue(c, 3001);
            Log.See(c);
        } // @reflected

        private static void Recursion(Holder c, int depth)
        {
            c.A = 3100 + depth;
            Log.See(c);
            if (depth > 0) Recursion(c, depth - 1);
            c.B = 3110 + depth;
            Log.See(c);
        }

        private static void Loops(Holder c)
        {
            for (int i = 0; i < 5; i++)
            {
                if (i == 1) { c.A = 3201; Log.See(c); continue; }
                if (i == 3) { c.A = 3203; Log.See(c); break; }
                c.A = 3210 + i;
                Log.See(c);
            }
            int n = 0;
        again:
            c.A = 3220 + n;
            Log.See(c);
            if (++n < 3) goto again;
        }

        private static void Patterns(Holder c)
        {
            object o = c;
            if (o is Holder h && (h.A = 3301) > 0) Log.See(c);
            c.A = o switch { Holder x when (x.B = 3302) > 0 => 3303, _ => 3304 };
            Log.See(c);
            Holder other = null;
            (other ?? c).A = 3305;
            Log.See(c);
            c?.Swap(3306);
            Log.See(c);
        }

        private static void Swapped(Holder c)
        {
            Holder one = new Holder(), other = c;
            one.A = 3401;
            Log.See(one);
            (one.A, other.A) = (3402, 3403);
            Log.See(one);
            Log.See(other);
            Pick(c, one).A = 3404;
            Log.See(c);
            (one, other) = (other, one);
            one.A = 3405;
            Log.See(c);
        }

        private static Holder Pick(Holder one, Holder other) => one;

        private static void LateReferences(Holder c)
        {
            ref int r = ref c.A;
            Nothing(0);
            if (Is(c.B = 3501)) r = 3502;
            Log.See(c);
            while (r < 3505)
            {
                r++;
                Log.See(c);
            }
            try { r = 3506; Throw(); }
            catch (InvalidOperationException) { Log.See(c); }
            LateReturn(c);
            Log.See(c);
        }

        private static int LateReturn(Holder c)
        {
            ref int r = ref c.A;
            return Interlocked.Exchange(ref r, 3507);
        }
    }
}
