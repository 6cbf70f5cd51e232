using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Middleware
{
    // What a web framework does with what its user's code throws. Built without symbols.
    public static class Pipeline
    {
        // Catches, and says which exceptions the debugger is to stop for.
        [DebuggerDisableUserUnhandledExceptions]
        public static async Task Shown(Func<Task> handler, bool tells)
        {
            try
            {
                await Next(handler);
            }
            catch (Exception error)
            {
                Console.WriteLine("shown: " + error.Message);
                if (tells)
                {
                    Debugger.BreakForUserUnhandledException(error);
                }
            }
        }

        // The same of a handler that is not asynchronous.
        [DebuggerDisableUserUnhandledExceptions]
        public static void Called(Action handler, bool tells)
        {
            try
            {
                handler();
            }
            catch (Exception error)
            {
                if (tells)
                {
                    Debugger.BreakForUserUnhandledException(error);
                }
            }
        }

        // Catches whatever it gets, and knows nothing of debuggers.
        public static void Swallowed(Action handler)
        {
            try
            {
                handler();
            }
            catch (Exception)
            {
            }
        }

        // Takes whatever it gets, and throws it again.
        public static void ThrownOn(Action handler)
        {
            try
            {
                handler();
            }
            catch (Exception)
            {
                throw;
            }
        }

        // Throws what tells more than its type: ERROR_SHARING_VIOLATION.
        public static void Fails()
        {
            throw new IOException("in use", unchecked((int)0x80070020)); // @fails
        }

        private static async Task Next(Func<Task> handler)
        {
            await handler();
        }
    }
}
