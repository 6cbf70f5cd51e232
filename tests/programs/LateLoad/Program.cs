using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace LateLoad
{
    // Loads Library.dll (its path is the first argument) after Main began, calls it, unloads it, and does so again as often as
    // the second argument says (1): breakpoints in it bind, unbind and bind again.
    public static class Program
    {
        public static int Main(string[] args)
        {
            string library = Path.GetFullPath(args[0]);
            int times = args.Length > 1 ? int.Parse(args[1]) : 1;
            Console.WriteLine("before load"); // @before-load
            for (int i = 0; i < times; i++)
            {
                WeakReference context = LoadAndCall(library, "caller " + i); // @load
                bool unloaded = WaitForUnload(context);
                Console.WriteLine(unloaded ? "unloaded" : "still loaded"); // @after-unload
            }
            return 0;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static WeakReference LoadAndCall(string library, string name)
        {
            AssemblyLoadContext context = new AssemblyLoadContext("late", isCollectible: true);
            Assembly assembly = context.LoadFromAssemblyPath(library);
            Type type = assembly.GetType("Library.Greeter");
            object greeter = Activator.CreateInstance(type); // @loaded
            Console.WriteLine(type.GetMethod("Greet").Invoke(greeter, new object[] { name })); // @call
            context.Unload();
            return new WeakReference(context);
        }

        private static bool WaitForUnload(WeakReference context)
        {
            for (int i = 0; i < 50 && context.IsAlive; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            return !context.IsAlive;
        }
    }
}
