using System;
using System.Diagnostics;

namespace Attributes
{
    // Code that asks the debugger to pass it by, in every way that there is.
    public static class Program
    {
        public static int Main(string[] args)
        {
            if (args.Length > 0)
            {
                return Throw();
            }
            Through(() => Console.WriteLine("called back")); // @through
            NonUser(); // @non-user
            Hidden(); // @hidden
            Typed.Method(); // @typed
            Boundary(); // @boundary
            Bounded(() => Console.WriteLine("called back")); // @bounded
            Holder holder = new Holder { Name = "x" }; // @setter
            Console.WriteLine(holder.Name); // @getter
            Console.WriteLine(holder.Same); // @same
            Holder sum = holder + Make(); // @operator
            Console.WriteLine(sum); // @end
#if NET10_0_OR_GREATER
            holder.Letters = "y";
            holder = holder * 2;
            Console.WriteLine(holder.Length); // @extension
#endif
            Console.WriteLine(new { Count = 1 }.Count); // @anonymous
            return 0;
        }

        private static int Throw()
        {
            Caught(Disowned); // @none-of-ours
            Caught(Ours); // @ours
            return 0;
        }

        [DebuggerNonUserCode]
        private static void Caught(Action action)
        {
            try
            {
                action();
            }
            catch (InvalidOperationException)
            {
            }
        }

        private static void Ours()
        {
            throw new InvalidOperationException("ours"); // @throw
        }

        [DebuggerNonUserCode]
        private static void Disowned()
        {
            throw new InvalidOperationException("not ours"); // @throw-disowned
        }

        [DebuggerStepThrough]
        private static void Through(Action action)
        {
            Console.WriteLine("through"); // @in-through
            action();
        }

        [DebuggerNonUserCode]
        private static void NonUser()
        {
            Console.WriteLine("non-user"); // @in-non-user
        }

        [DebuggerHidden]
        private static void Hidden()
        {
            Console.WriteLine("hidden"); // @in-hidden
        }

        [DebuggerStepperBoundary]
        private static void Boundary()
        {
            Console.WriteLine("boundary"); // @in-boundary
        }

        [DebuggerNonUserCode]
        [DebuggerStepperBoundary]
        private static void Bounded(Action action)
        {
            action();
        }

        private static Holder Make()
        { // @in-make
            return new Holder { Name = "y" };
        }
    }

    [DebuggerStepThrough]
    public static class Typed
    {
        public static void Method()
        {
            Console.WriteLine("typed"); // @in-typed
        }
    }

#if NET10_0_OR_GREATER
    public static class Extensions
    {
        extension(Holder holder)
        {
            public int Length
            {
                get { return holder.Name.Length; } // @in-extension
            }

            public string Letters
            {
                set { holder.Name = value; } // @in-extension-setter
            }

            public static Holder operator *(Holder one, int times)
            {
                return times > 1 ? one : null; // @in-extension-operator
            }
        }
    }
#endif

    public class Holder
    {
        private string name;

        public string Name
        {
            get { return name; } // @in-getter
            set { name = value; } // @in-setter
        }

        public string Same
        {
            get { return Returned(name); } // @in-same
        }

        private static string Returned(string text)
        {
            return text; // @in-returned
        }

        public static Holder operator +(Holder left, Holder right)
        { // @in-operator
            return new Holder { name = left.name + right.name };
        }
    }
}
