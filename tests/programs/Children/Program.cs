using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Threading;

namespace Children
{
    // Starts itself: `start N` starts N leaves, `tree` one that starts a leaf, `leave` one leaf without waiting for it,
    // `mixed` a leaf and a program that is not .NET. A leaf ends with the code 3; `later` is one that waits for a line of
    // input first, and then starts a leaf.
    public static class Program
    {
        private static int Main(string[] args)
        {
            string what = args.Length > 0 ? args[0] : "leaf";
            switch (what)
            {
                case "start":
                    return Run(int.Parse(args[1]), "leaf");
                case "tree":
                    return Run(1, "start", "1");
                case "leave":
                    Start("leaf");
                    return 0;
                case "later":
                    Console.ReadLine();
                    return Run(1, "leaf");
                case "mixed":
                    using (Process other = Process.Start(new ProcessStartInfo("/bin/echo", "not .NET") { UseShellExecute = false }))
                    {
                        other.WaitForExit();
                    }
                    return Run(1, "leaf");
                default:
                    Console.WriteLine("leaf"); // @leaf
                    return 3;
            }
        }

        private static int Run(int count, params string[] arguments)
        {
            var started = new List<Process>();
            for (int index = 0; index < count; index++)
            {
                started.Add(Start(arguments));
            }
            int sum = 0;
            foreach (Process process in started)
            {
                process.WaitForExit();
                sum += process.ExitCode;
            }
            return sum; // @sum
        }

        private static Process Start(params string[] arguments)
        {
            string program = "\"" + Assembly.GetExecutingAssembly().Location + "\" " + string.Join(" ", arguments);
            string host = Process.GetCurrentProcess().MainModule.FileName;
            return Process.Start(new ProcessStartInfo(host, program) { UseShellExecute = false });
        }
    }
}
