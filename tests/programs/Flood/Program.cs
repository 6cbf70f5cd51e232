using System;
using System.Diagnostics;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

namespace Flood
{
    // Gives its debugger no rest: floods it with one kind of event ("log", "threads", "exceptions", "modules", "output", "calls",
    // or "none") until the file that its second argument names exists, for at most the seconds of its fourth. Counts its rounds in
    // the first eight bytes of the file that its third argument names, so that anybody can see whether it runs.
    public static class Program
    {
        private static volatile bool go = true;

        public static int Main(string[] args)
        {
            Action flood = FloodOf(args[0]);
            DateTime deadline = DateTime.UtcNow.AddSeconds(int.Parse(args[3]));
            using (var file = MemoryMappedFile.CreateFromFile(args[2], FileMode.OpenOrCreate, null, 8))
            using (var view = file.CreateViewAccessor())
            {
                Console.WriteLine("READY");
                for (int i = 0; i < 2; i++)
                {
                    new Thread(() => Repeat(flood)) { IsBackground = true }.Start();
                }
                long rounds = 0;
                while (!File.Exists(args[1]) && DateTime.UtcNow < deadline)
                {
                    Round();
                    view.Write(0, ++rounds);
                    Thread.Sleep(1);
                }
                go = false;
                return 0;
            }
        }

        // Without a debugger nobody needs the flood: it leaves the processors to others.
        private static void Repeat(Action flood)
        {
            while (go)
            {
                flood();
                if (!Debugger.IsAttached)
                {
                    Thread.Sleep(1);
                }
            }
        }

        private static int Round()
        {
            int zero = 0; // @round
            return zero;
        }

        private static int Call(int number)
        {
            int half = number / 2; // @call
            return half;
        }

        private static Action FloodOf(string kind)
        {
            switch (kind)
            {
                case "log": return () => Debugger.Log(1, "flood", "a message of the flood");
                case "threads":
                    return () =>
                    {
                        var thread = new Thread(() => { });
                        thread.Start();
                        thread.Join();
                    };
                case "exceptions":
                    return () =>
                    {
                        try { throw new InvalidOperationException("flood"); }
                        catch (InvalidOperationException) { }
                    };
                case "modules": return LoadAndUnload;
                case "calls": return () => Call(Environment.TickCount);
                case "output": return () => Console.WriteLine("a line of the flood");
                case "spin": return () => { while (go) { } };
                default: return () => Thread.Sleep(5);
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void LoadAndUnload()
        {
            var context = new Context();
            context.LoadFromAssemblyPath(typeof(Program).Assembly.Location).GetTypes();
            context.Unload();
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        private sealed class Context : AssemblyLoadContext
        {
            public Context() : base(isCollectible: true) { }

            protected override Assembly Load(AssemblyName name) => null;
        }
    }
}
