using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using DisplayScopes.Tools;
using static DisplayScopes.Tools.Shared;
using Text = System.Text.StringBuilder;

[assembly: DebuggerDisplay("mine, of {Count}", Target = typeof(SortedList<,>))]
[assembly: DebuggerDisplay("major {Major}", TargetTypeName = "System.Version, System.Private.CoreLib")]
[assembly: DebuggerTypeProxy(typeof(DisplayScopes.StackView<>), Target = typeof(Stack<>))]

namespace DisplayScopes.Everywhere
{
    public static class Global
    {
        public static int Number = 61;
    }
}

namespace DisplayScopes.Tools
{
    public static class Shared
    {
        public static int Common = 51;
    }

    public static class Extensions
    {
        public static int Twice(this int number) => number * 2;
    }
}

// Types whose displays and proxies are written with the names that are in scope where they are declared.
namespace DisplayScopes
{
    public static class Program
    {
        public static void Main()
        {
            Values();
            Exception told = new Told { Code = 7 };
            Throw(told);
            Throw(new AggregateException("Several.", told, new Untold()));
            Throw(new InvalidOperationException("around", told));
            Console.WriteLine(Told.Asked); // @thrown
        }

        private static void Throw(Exception exception)
        {
            try
            {
                throw exception;
            }
            catch (Exception)
            {
            }
        }

        private static void Values()
        {
            var named = new Named();
            var imported = new Imported();
            var noCode = new NoCode { Number = 7 };
            var inner = new Outer<string>.Inner();
            var derived = new Derived();
            Base[] bases = { derived, new Base() };
            var list = new OwnList { 1 };
            var dictionary = new OwnDictionary { ["a"] = 1 };
            var derivedList = new DerivedList { 1, 2 };
            var thrown = new OwnException();
            var task = new OwnTask();
            var byAssembly = new SortedList<int, int> { [1] = 2 };
            var version = new Version(4, 5);
            var stack = new Stack<string>(new[] { "first", "top" });
            var sum = new Sum { Numbers = new[] { 1, 2 } };
            var spoken = new Spoken { Number = 5 };
            var viewedList = new ViewedList<string> { "x" };
            var derivedViewed = new DerivedViewed { "y" };
            var nested = new Outer<string>.Viewed<int> { First = "f", Second = 2 };
            var closed = new ForClosed();
            var rooted = new Rooted();
            var marked = new Marked();
            var told = new Told { Code = 8 };
            var aggregate = new AggregateException("Several.", told, new Untold());
            var failed = Task.FromException(told);
            GC.KeepAlive(new ClosedView<int, List<string>>(closed).Names);
            Console.WriteLine(sum.Add() + spoken.ToString() + named + imported + noCode + inner + bases + list + dictionary); // @scopes
            Console.WriteLine("" + derivedList + thrown + task + byAssembly + version + stack + viewedList + derivedViewed + nested + rooted + (told == aggregate.InnerException) + failed + marked.Field);
        }
    }

    internal static class Helper
    {
        public static int Number = 11;

        public static int Run(int number)
        {
            GC.KeepAlive(number);
            return number + 1;
        }
    }

    [DebuggerDisplay("{Helper.Number} {new Inner().Weight} {Inner.Height} {count} {(State)1} {DisplayScopes.Helper.Run(1)}")]
    public class Named
    {
        private static int count = 4;

        private enum State
        {
            Off,
            On,
        }

        private class Inner
        {
            public static int Height = 3;
            public int Weight = 2;
        }
    }

    [DebuggerDisplay("{Common} {Words.First(word => word.Length > 1)} {Length.Twice()} {new Text().Length} {Tools.Shared.Common} {Far}")]
    public class Imported
    {
        public string[] Words = { "a", "bb" };

        public int Length => Words.Length;

#if NET6_0_OR_GREATER
        public string Far => nameof(Global);
#else
        public string Far => "Global";
#endif
    }

#if NET6_0_OR_GREATER
    [DebuggerDisplay("{Number.Twice()} {Common} {Global.Number}")]
#else
    [DebuggerDisplay("{Number * 2} {Tools.Shared.Common} 61")] // older compilers do not say which file a type without code is in
#endif
    public struct NoCode
    {
        public int Number;
    }

    public class Outer<T>
    {
        private static int shared = 31;

        private class Sibling
        {
            public static int Of = typeof(T).Name.Length;
        }

        [DebuggerDisplay("{shared} {Sibling.Of} {typeof(T).Name} {default(T)}")]
        public class Inner
        {
            public Inner() => GC.KeepAlive(Sibling.Of);
        }

        [DebuggerTypeProxy(typeof(Outer<>.View<>))]
        public class Viewed<U>
        {
            public T First;
            public U Second;
        }

        private class View<U>
        {
            private static int made;
            private readonly Viewed<U> of;

            public View(Viewed<U> of)
            {
                made++;
                this.of = of;
            }

            public T One => of.First;

            public U Two => of.Second;
        }
    }

    [DebuggerDisplay("{Name,nq} {Hidden} {Deep.One} {secret,h}", Name = "is {Hidden}", Type = "of {Helper.Number}")]
    public class Base : Deepest
    {
        public string Name = "name";
        public string Hidden = "base";
        private int secret = 15;
    }

    public class Deepest
    {
        protected enum Deep
        {
            One,
        }
    }

    public class Derived : Base
    {
        public new string Hidden = "derived";
    }

    [DebuggerDisplay("own {Count} of {Helper.Number}", Name = "of {Count}")]
    public class OwnList : List<int>
    {
    }

    public class DerivedList : OwnList
    {
    }

    [DebuggerDisplay("own {Helper.Run(Count)}", Type = "ours")]
    public class OwnDictionary : Dictionary<string, int>
    {
    }

    [DebuggerDisplay("own {Code}")]
    public class OwnException : Exception
    {
        public int Code = 5;
    }

    [DebuggerDisplay("own {Number}")]
    public class OwnTask : Task<int>
    {
        public int Number = 6;

        public OwnTask()
            : base(() => 1)
        {
        }
    }

    [DebuggerDisplay("{Add()} of {Numbers.Length}")]
    public ref struct Sum
    {
        public ReadOnlySpan<int> Numbers;

        public int Add()
        {
            int sum = 0;
            foreach (int number in Numbers)
            {
                sum += Helper.Run(number) - 1;
            }

            return sum;
        }
    }

    public ref struct Spoken
    {
        public int Number;

        public override string ToString() => "spoken " + Helper.Run(Number);
    }

    internal class StackView<T>
    {
        private readonly Stack<T> of;

        public StackView(Stack<T> of) => this.of = of;

        public T Top => of.Peek();
    }

    [DebuggerTypeProxy(typeof(ListView<>))]
    public class ViewedList<T> : List<T>
    {
        public int Extra = 4;
    }

    internal class ListView<T>
    {
        private readonly ViewedList<T> of;

        public ListView(ViewedList<T> of) => this.of = of;

        public int Extra => of.Extra;

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public T[] Items => of.ToArray();
    }

    public class DerivedViewed : ViewedList<string>
    {
    }

    [DebuggerTypeProxy(typeof(ClosedView<int, List<string>>))]
    public class ForClosed
    {
        public int Inner = 8;
    }

    internal class ClosedView<T, U>
    {
        private readonly ForClosed of;

        public ClosedView(ForClosed of) => this.of = of;

        public string Names => typeof(T).Name + " " + typeof(U).Name;

        public int Inside => of.Inner;
    }

    // What stands in the place of a property takes its getter to run.
    public class Rooted
    {
        public static int Calls;
        public int Before = 1;
        private readonly List<int> numbers = new List<int> { 5, 6 };

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public int[] Items
        {
            get
            {
                Calls++;
                return numbers.ToArray();
            }
        }

        [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
        public List<int> Failing => throw new InvalidOperationException("No items");

        public int After => 2;
    }

    // Its message takes a call: numbers are written as the culture has it.
    public class Told : Exception
    {
        public static int Asked;
        public int Code;

        public override string Message
        {
            get
            {
                Asked++;
                return $"code {Code}";
            }
        }
    }

    public class Untold : Exception
    {
        public override string Message => throw new InvalidOperationException("No message");
    }

    public class Marked
    {
        private const int Own = 9;

        [DebuggerDisplay("{Width} of {Helper.Number} by {Own}")]
        public Measured Field = new Measured();
    }

    public class Measured
    {
        public int Width = 3;
    }
}
