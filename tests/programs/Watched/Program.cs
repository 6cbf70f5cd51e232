using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Watched
{
    // Every way to store to a field. The name of what to run is the first argument; without one all of it runs.
    public class Counter
    {
        public static int Total; // @static-initial
        public static int Started = 7; // @static-initialiser
        public int count = 1; // @field-initialiser
        public int Auto { get; set; } // @auto
        public string name;
        public object anything;
        public Point place;
        public Counter next;

        [ThreadStatic] public static int PerThread;

        public Counter() { }

        public Counter(int start)
        {
            count = start; // @constructor
        } // @constructor-end

        public void Add(int by)
        {
            count += by; // @add
        } // @added

        public int Set(int to)
        {
            return count = to; // @return
        }

        public int SetShort(int to) => count = to; // @short

        public static int SetTotal(int to) => Total = to; // @static-short

        public int Nested(int to)
        {
            return Twice(to, count = to); // @nested
        }

        public static int Twice(int a, int b) { return a + b; }
    }

    public class Derived : Counter
    {
        public void Change() { count = 50; } // @derived
    }

    public struct Point
    {
        public int X;
        public int Y;

        public void Move(int by)
        {
            X += by; // @struct-method
        }
    }

    public class Box<T>
    {
        public T content;
        public static int Made;

        public void Put(T what)
        {
            content = what; // @generic
            Made++; // @generic-static
        } // @generic-end
    }

    public static class Program
    {
        public static int Main(string[] args)
        {
            string what = args.Length > 0 ? args[0] : "all";
            Counter one = new Counter(), other = new Counter(5);
            if (what == "nothing") return one.count + other.count;
            Begin(one, other); // @begin
            if (Is(what, "simple")) Simple(one, other);
            if (Is(what, "statics")) Statics();
            if (Is(what, "loop")) Loop(one);
            if (Is(what, "forms")) Forms(one);
            if (Is(what, "references")) References(one, other);
            if (Is(what, "structs")) Structs(one);
            if (Is(what, "generics")) Generics();
            if (Is(what, "captured")) Captured();
            if (Is(what, "async")) Later(one).Wait();
            if (Is(what, "iterator")) foreach (int i in Numbers()) Total(i);
            if (Is(what, "moved")) Moved(one);
            if (Is(what, "threads")) Threads();
            if (Is(what, "unseen")) Unseen(one);
            if (what == "forever") Forever();
            if (what == "initialisers") Initialisers();
            return 0; // @end
        }

        private static void Initialisers()
        {
            for (int i = 0; i < 3; i++)
            {
                Counter made = new Counter { name = "made", count = 11 + i, next = null };
                Total(made.count);
            }
            Total(Make().count);
            Begin(new Counter { count = 30 }, null);
        }

        private static Counter Make() { return new Counter { count = 20 }; }

        private static void Forever()
        {
            Console.WriteLine("turning");
            while (Counter.Total < 1000000)
            {
                Counter.Total++; // @turn
                Thread.Sleep(1);
            }
        }

        private static bool Is(string what, string name) { return what == name || what == "all"; }

        private static void Begin(Counter one, Counter other) { }

        private static void Total(int i) { }

        private static void Simple(Counter one, Counter other)
        {
            one.count = 2; // @one
            other.count = 6; // @other
            one.count = 2; // @unchanged
            one.Add(3);
            other.Add(3);
            Counter third = new Counter(9); // @third
            new Derived().Change();
        } // @simple-end

        private static void Statics()
        {
            Counter.Total = 3; // @static
            Counter.Total += 1; // @static-again
            Counter.SetTotal(9); // @static-called
            Counter.Started = 8; // @started
            if (Counter.Total > 0 && (Counter.Total = 12) > 3) Total(1); // @in-condition
            for (Counter.Total = 20; Counter.Total < 22; Counter.Total++) Total(2); // @for
        } // @statics-end

        private static void Loop(Counter one)
        {
            for (int i = 0; i < 100; i++) // @loop
            {
                one.count = i / 10; // @ten
            }
        } // @loop-end

        private static void Forms(Counter one)
        {
            int result = one.Set(21); // @set
            result += one.SetShort(22); // @set-short
            result += one.Nested(23); // @set-nested
            result += one.count++ + ++one.count; // @increment
            one.Auto = 4; // @set-auto
            Fill(ref one.count, 30); // @by-reference
            Interlocked.Increment(ref one.count); // @interlocked
            one.count = result > 0 ? 40 : 41; // @conditional
            Pick(one).count = 42; // @from-call
            Counter fresh = new Counter { count = 43 }; // @initialiser
            try { one.count = 44; throw new Exception(); } // @thrown
            catch (Exception) { one.count = 45; } // @caught
            finally { one.count = 46; } // @finally
        } // @forms-end

        private static Counter Pick(Counter one) { return one; }

        private static void Fill(ref int target, int value)
        {
            target = value;
        }

        private static void References(Counter one, Counter other)
        {
            one.name = "a"; // @text
            one.name = new string('a', 1); // @same-text
            one.name = null; // @no-text
            one.anything = 5; // @boxed
            one.anything = 5; // @boxed-again
            one.anything = one; // @itself
            one.next = other; // @next
            GC.Collect();
            one.next = other; // @next-again
            one.next.next = one; // @chain
        } // @references-end

        private static void Structs(Counter one)
        {
            one.place = new Point { X = 1, Y = 2 }; // @whole
            one.place.X = 3; // @part
            one.place.Move(4); // @by-method
            one.place = default(Point); // @cleared
            Point local = new Point();
            local.X = 8; // @local-struct
        } // @structs-end

        private static void Generics()
        {
            Box<int> ints = new Box<int>();
            Box<string> texts = new Box<string>();
            ints.Put(3);
            texts.Put("three");
            ints.content = 4; // @outside
            Box<int>.Made = 10; // @made-outside
        } // @generics-end

        private static void Captured()
        {
            int seen = 0; // @captured
            Action more = () => seen += 2; // @lambda
            more(); // @call-lambda
            seen = 9; // @after-lambda
            more();
        } // @captured-end

        private static async Task Later(Counter one)
        {
            int local = 1; // @hoisted
            await Task.Yield();
            local = 2; // @hoisted-changed
            one.count = await Value(local); // @awaited
            one.count += await Value(70); // @awaited-more
        } // @async-end

        private static async Task<int> Value(int of)
        {
            await Task.Delay(1);
            return of + 60;
        }

        private static IEnumerable<int> Numbers()
        {
            int current = 5; // @iterator
            while (current > 3)
            {
                yield return current;
                current--; // @iterator-changed
            }
        }

        private static void Moved(Counter one)
        {
            for (int i = 0; i < 3; i++)
            {
                byte[] waste = new byte[1000000];
                GC.Collect(); // @collected
                one.count = 60 + i; // @moved
            }
        } // @moved-end

        private static void Threads()
        {
            Thread worker = new Thread(() => { Counter.PerThread = 2; Total(1); }); // @worker
            Counter.PerThread = 1; // @main-thread
            worker.Start();
            worker.Join();
            Counter.PerThread = 1; // @main-thread-again
        } // @threads-end

        private static void Unseen(Counter one)
        {
            typeof(Counter).GetField("count").SetValue(one, 80); // @reflected
            one.count = 81; // @seen-again
        } // @unseen-end
    }
}
