using System;
using System.ComponentModel;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Crash
{
    // Ends badly, in the way that its argument names.
    public static class Program
    {
        public static int Main(string[] args)
        {
            string how = args.Length > 0 ? args[0] : "unhandled";
            Console.WriteLine("about to crash: " + how); // @before
            switch (how)
            {
                case "unhandled":
                    Fail("unhandled in Main"); // @calls-fail
                    break;
                case "thread":
                    Thread thread = new Thread(() => Fail("unhandled in a thread")) { Name = "failing" };
                    thread.Start();
                    thread.Join();
                    break;
                case "caught":
                    Catch();
                    break;
                case "converts":
                    Console.WriteLine(new Int32Converter().IsValid("x")); // it throws and catches within the framework
                    Catch();
                    break;
                case "filter":
                    Filter();
                    break;
                case "inner":
                    Wrap();
                    break;
                case "rethrow":
                    Rethrow();
                    break;
                case "null":
                    string nothing = null;
                    Console.WriteLine(nothing.Length); // @null
                    break;
                case "divide":
                    int zero = args.Length - args.Length;
                    Console.WriteLine(1 / zero); // @divide
                    break;
                case "overflow":
                    Console.WriteLine(Endless(1));
                    break;
                case "told":
                    AppDomain.CurrentDomain.UnhandledException += Tell;
                    Fail("told of");
                    break;
                case "abort":
                    Environment.FailFast("failed fast"); // @fail-fast
                    break;
                case "tree":
                    Tree();
                    break;
                case "task":
                    Task.Run(() => Fail("in a task")).GetAwaiter().GetResult(); // @task
                    break;
                case "segfault":
                    Marshal.WriteInt32(new IntPtr(8), 0); // @segfault
                    break;
                default:
                    Console.Error.WriteLine("unknown: " + how);
                    return 2;
            }
            Console.WriteLine("survived"); // @survived
            return 0;
        }

        private static void Fail(string message)
        {
            throw new InvalidOperationException(message); // @throw
        }

        private static void Tell(object sender, UnhandledExceptionEventArgs arguments)
        { // @tell-open
            Console.WriteLine("last words"); // @tell
        }

        private static void Catch()
        {
            try
            {
                Fail("caught"); // @calls-fail-caught
            }
            catch (InvalidOperationException error)
            {
                Console.WriteLine("caught: " + error.Message); // @catch
            }
        }

        private static void Filter()
        {
            try
            {
                Fail("filtered");
            }
            catch (InvalidOperationException) when (IsFine())
            {
                Console.WriteLine("filtered");
            }
        }

        private static bool IsFine()
        {
            Catch();
            return true;
        }

        private static void Wrap()
        {
            try
            {
                Fail("the cause");
            }
            catch (InvalidOperationException error)
            {
                throw new ApplicationException("the wrapper", error); // @wrap
            }
        }

        private static void Tree()
        {
            Exception cause = null;
            try
            {
                Fail("the cause"); // @calls-fail-tree
            }
            catch (InvalidOperationException error)
            {
                cause = error;
            }
            cause.Data["order"] = 42;
            AggregateException all = new AggregateException("several", cause, new CodedException(7));
            all.Data["tries"] = "three";
            throw all; // @tree
        }

        private static void Rethrow()
        {
            try
            {
                Fail("thrown twice");
            }
            catch (InvalidOperationException)
            {
                throw; // @rethrow
            }
        }

        private static int Endless(int value)
        {
            return Endless(value + 1) + 1; // @endless
        }
    }

    public class CodedException : Exception
    {
        private readonly int code;

        public CodedException(int code)
        {
            this.code = code;
        }

        public override string Message => code == 7 ? "code seven" : "another code";
    }
}
