using System;
using System.Threading;
using System.Threading.Tasks;

namespace Handlers
{
    // Exceptions that meet other exceptions on their way to the handler that takes them.
    public static class Program
    {
        public static async Task<int> Main(string[] args)
        {
            switch (args[0])
            {
                case "rethrow":
                    Rethrow();
                    break;
                case "deep-rethrow":
                    DeepRethrow();
                    break;
                case "finally":
                    ThrowInFinally();
                    break;
                case "catch":
                    ThrowInCatch();
                    break;
                case "await-rethrow":
                    await RethrowAfterAwait();
                    break;
                case "await-finally":
                    await FinallyAfterAwait();
                    break;
                case "await-catch":
                    await CatchAfterAwait();
                    break;
                case "filter":
                    Filter();
                    break;
                case "library":
                    Library();
                    break;
                case "library-rethrow":
                    Task.Run(() => RethrowOut()).Wait();
                    break;
                case "caught-in-finally":
                    CaughtInFinally();
                    break;
                case "main":
                    await Fail();
                    break;
                case "finally-awaits":
                    await Taken(FinallyAwaits);
                    break;
                case "using-awaits":
                    await Taken(UsingAwaits);
                    break;
                case "catch-awaits":
                    await Taken(CatchAwaits);
                    break;
                case "both-await":
                    await Taken(BothAwait);
                    break;
                default:
                    return 2;
            }
            Console.WriteLine("survived");
            return 0;
        }

        private static void Thrower(string message = "thrown")
        {
            throw new InvalidOperationException(message); // @throw
        }

        private static void Rethrow()
        {
            try
            {
                try
                {
                    Thrower();
                }
                catch
                {
                    throw; // @rethrow
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message); // @rethrow-caught
            }
        }

        private static void RethrowOut()
        {
            try
            {
                Thrower();
            }
            catch (InvalidOperationException)
            {
                throw; // @rethrow-out
            }
        }

        private static void DeepRethrow()
        {
            try
            {
                RethrowOut();
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message); // @deep-caught
            }
        }

        private static void ThrowInFinally()
        {
            try
            {
                try
                {
                    Thrower("first");
                }
                finally
                {
                    Thrower("second"); // @in-finally
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static void ThrowInCatch()
        {
            try
            {
                try
                {
                    Thrower("first");
                }
                catch (InvalidOperationException)
                {
                    Thrower("second"); // @in-catch
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static async Task RethrowAfterAwait()
        {
            try
            {
                try
                {
                    await Task.Yield();
                    Thrower();
                }
                catch
                {
                    throw;
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static async Task FinallyAfterAwait()
        {
            await Task.Yield();
            try
            {
                try
                {
                    Thrower("first");
                }
                finally
                {
                    Thrower("second");
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static async Task CatchAfterAwait()
        {
            await Task.Yield();
            try
            {
                try
                {
                    Thrower("first");
                }
                catch (Exception)
                {
                    Thrower("second");
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message);
            }
        }

        private static void Filter()
        {
            try
            {
                try
                {
                    Thrower("first");
                }
                catch (Exception e) when (e.Message == "other")
                {
                    Console.WriteLine("never");
                }
                finally
                {
                    try
                    {
                        Thrower("second");
                    }
                    catch (InvalidOperationException) when (DateTime.Now.Year > 2000)
                    {
                        Console.WriteLine("inner");
                    }
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message);
            }
        }

        // An exception that a handler of the framework takes: not handled in user code.
        private static void Library()
        {
            var begun = new ManualResetEventSlim();
            _ = Task.Run(() =>
            {
                begun.Set();
                Thrower("for the task");
            });
            begun.Wait();
            Thread.Sleep(500);
        }

        private static void CaughtInFinally()
        {
            try
            {
                try
                {
                    Thrower("outer");
                }
                finally
                {
                    try
                    {
                        Thrower("inner");
                    }
                    catch (InvalidOperationException e)
                    {
                        Console.WriteLine(e.Message); // @inner-handler
                    }
                }
            }
            catch (Exception e)
            {
                Console.WriteLine(e.Message); // @outer-handler
            }
        }

        private static async Task Fail()
        {
            await Task.Yield();
            Thrower("out of async Main"); // @fails
        }

        private static async Task Taken(Func<Task> fails)
        {
            try
            {
                await fails(); // @taken-at
            }
            catch (InvalidOperationException)
            {
                Console.WriteLine("taken");
            }
        }

        // The compiler keeps the exception, awaits, and throws it again behind the braces.
        private static async Task FinallyAwaits()
        {
            try
            {
                try
                {
                    Thrower(); // @finally-throws
                }
                finally
                {
                    await Task.Yield();
                }
            }
            finally
            {
                await Task.Yield();
            }
        }

        private static async Task UsingAwaits()
        {
            await using (new Closing())
            {
                Thrower(); // @using-throws
            }
        }

        private static async Task CatchAwaits()
        {
            try
            {
                Thrower(); // @catch-throws
            }
            catch (ArgumentException)
            {
                await Task.Yield();
            }
            catch (InvalidOperationException)
            {
                await Task.Yield();
                throw; // @catch-rethrows
            }
        }

        private static async Task BothAwait()
        {
            try
            {
                await CatchAwaits(); // @both-throw
            }
            catch (InvalidOperationException)
            {
                await Task.Yield();
                throw; // @both-rethrow
            }
            finally
            {
                await Task.Yield();
            }
        }

        private sealed class Closing : IAsyncDisposable
        {
            public async ValueTask DisposeAsync()
            {
                await Task.Yield();
            }
        }
    }
}
