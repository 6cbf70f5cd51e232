// What portablepdb is compared with: the same dumps, and the same questions timed, by System.Reflection.Metadata.
//   dump LIST OUTPUT        LIST has lines "asm|pdb|meta<TAB>FILE"; writes OUTPUT/0, OUTPUT/1, ... one file for each
//   bind LIST OUTPUT        LIST has lines "FILE<TAB>SUFFIX<TAB>LINE<TAB>COLUMN"; writes a record for each to the file OUTPUT
//   bench bind FILE SUFFIX LINE REPEAT       median microseconds of opening a PDB and binding one line
//   bench locals FILE TOKEN REPEAT           median microseconds of opening a PDB and naming the locals of a method
//   bench points FILE REPEAT                 median microseconds of decoding every sequence point
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Text;

static class Program
{
    static int Main(string[] args)
    {
        switch (args[0] + (args[0] == "bench" ? " " + args[1] : ""))
        {
            case "dump": Dump(args[1], args[2]); return 0;
            case "bind":
                using (var writer = new StreamWriter(args[2], false, new UTF8Encoding(false)) { NewLine = "\n" }) Binding.Run(args[1], writer);
                return 0;
            case "bench bind": return Time(int.Parse(args[5]), () => Bind(args[2], args[3], int.Parse(args[4])));
            case "bench locals": return Time(int.Parse(args[4]), () => Locals(args[2], Convert.ToInt32(args[3], 16)));
            case "bench points": return Time(int.Parse(args[3]), () => Points(args[2]));
            default: Console.Error.WriteLine("unknown: " + string.Join(" ", args)); return 2;
        }
    }

    static void Dump(string list, string output)
    {
        var number = 0;
        foreach (var line in File.ReadAllLines(list))
        {
            var words = line.Split('\t');
            using (var writer = new StreamWriter(Path.Combine(output, number++.ToString(CultureInfo.InvariantCulture)), false, new UTF8Encoding(false)))
            {
                writer.NewLine = "\n";
                Action<Record> emit = record => writer.WriteLine(Json.Line(record));
                try
                {
                    var file = File.ReadAllBytes(words[1]);
                    if (words[0] == "asm") AssemblyDump.Run(file, emit);
                    else if (words[0] == "pdb") PdbDump.Run(file, emit);
                    else Delta(file, emit);
                }
                catch (BadImageFormatException e) { emit(new Record { { "k", "error" }, { "type", e.GetType().Name } }); }
            }
        }
    }

    static void Delta(byte[] file, Action<Record> emit)
    {
        using (var provider = MetadataReaderProvider.FromMetadataImage(ImmutableArray.Create(file)))
        {
            var reader = provider.GetMetadataReader();
            AssemblyDump.MetadataRecords(reader, file, "", emit);
            AssemblyDump.Module(reader, null, emit);
            PdbDump.Enc(reader, emit);
        }
    }

    static int Time(int repeat, Func<int> work)
    {
        var times = new List<double>();
        var result = 0;
        for (var i = 0; i < repeat; i++)
        {
            var watch = Stopwatch.StartNew();
            result = work();
            times.Add(watch.Elapsed.TotalMilliseconds * 1000);
        }
        times.Sort();
        Console.WriteLine(times[times.Count / 2].ToString("F1", CultureInfo.InvariantCulture) + " " + result);
        return 0;
    }

    static MetadataReaderProvider Open(string file)
    {
        if (file.EndsWith(".pdb", StringComparison.Ordinal)) return MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(file));
        return PdbDump.Open(PdbDump.Content(File.ReadAllBytes(file)));
    }

    static int Bind(string file, string suffix, int line)
    {
        using (var provider = Open(file))
        {
            var reader = provider.GetMetadataReader();
            var documents = new HashSet<DocumentHandle>();
            foreach (var h in reader.Documents)
            {
                var name = reader.GetString(reader.GetDocument(h).Name).Replace('\\', '/');
                if (name == suffix || name.EndsWith("/" + suffix, StringComparison.Ordinal)) documents.Add(h);
            }
            var best = int.MaxValue;
            var hits = 0;
            foreach (var h in reader.MethodDebugInformation)
            {
                var method = reader.GetMethodDebugInformation(h);
                if (method.SequencePointsBlob.IsNil || !method.Document.IsNil && !documents.Contains(method.Document)) continue;
                int low = int.MaxValue, high = 0, next = int.MaxValue, count = 0;
                foreach (var point in method.GetSequencePoints())
                {
                    if (point.IsHidden || !documents.Contains(point.Document)) continue;
                    low = Math.Min(low, point.StartLine);
                    high = Math.Max(high, point.EndLine);
                    if (point.StartLine >= line && point.StartLine < next) { next = point.StartLine; count = 0; }
                    if (point.StartLine == next) count++;
                }
                if (low > line || high < line) continue;
                if (next < best) { best = next; hits = 0; }
                if (next == best) hits += count;
            }
            return hits;
        }
    }

    static int Locals(string file, int token)
    {
        using (var provider = Open(file))
        {
            var reader = provider.GetMetadataReader();
            var length = 0;
            foreach (var scope in reader.GetLocalScopes(MetadataTokens.MethodDefinitionHandle(token & 0xffffff)))
                foreach (var variable in reader.GetLocalScope(scope).GetLocalVariables())
                    length += reader.GetString(reader.GetLocalVariable(variable).Name).Length;
            return length;
        }
    }

    static int Points(string file)
    {
        using (var provider = Open(file))
        {
            var reader = provider.GetMetadataReader();
            var count = 0;
            foreach (var h in reader.MethodDebugInformation)
            {
                var method = reader.GetMethodDebugInformation(h);
                if (method.SequencePointsBlob.IsNil) continue;
                foreach (var point in method.GetSequencePoints()) count++;
            }
            return count;
        }
    }
}
