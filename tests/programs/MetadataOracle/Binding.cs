// "bind": the flat rule of the dump format, done the slow and obvious way.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

static class Binding
{
    sealed class Point { public int Method, Offset, Line, Column, EndLine, EndColumn, Document; }

    /// <summary>Answers questions "FILE TAB SUFFIX TAB LINE TAB COLUMN", one record a line.</summary>
    public static void Run(string list, TextWriter output)
    {
        string opened = null;
        var documents = new Dictionary<int, string>();
        var points = new List<Point>();
        foreach (var question in File.ReadAllLines(list))
        {
            var words = question.Split('\t');
            if (words[0] != opened)
            {
                opened = words[0];
                Load(opened, documents, points);
            }
            var line = int.Parse(words[2]);
            var column = int.Parse(words[3]);
            var hits = Hits(documents, points, words[1], line, column);
            output.WriteLine(Json.Line(new Record
            {
                { "k", "bind" }, { "file", words[1] }, { "line", line }, { "col", column },
                { "hits", hits.Select(h => new object[] { h.Method.ToString("x8"), h.Offset, h.Line, h.Column, h.EndLine, h.EndColumn, h.Document }).ToList() },
            }));
        }
    }

    static void Load(string file, Dictionary<int, string> documents, List<Point> points)
    {
        documents.Clear();
        points.Clear();
        using (var provider = PdbDump.Open(PdbDump.Content(File.ReadAllBytes(file))))
        {
            var reader = provider.GetMetadataReader();
            foreach (var h in reader.Documents) documents[MetadataTokens.GetRowNumber(h)] = reader.GetString(reader.GetDocument(h).Name).Replace('\\', '/');
            foreach (var h in reader.MethodDebugInformation)
            {
                var method = reader.GetMethodDebugInformation(h);
                if (method.SequencePointsBlob.IsNil) continue;
                var token = MetadataTokens.GetToken(h.ToDefinitionHandle());
                try
                {
                    points.AddRange(method.GetSequencePoints().Where(p => !p.IsHidden).Select(p => new Point
                    {
                        Method = token, Offset = p.Offset, Line = p.StartLine, Column = p.StartColumn, EndLine = p.EndLine, EndColumn = p.EndColumn,
                        Document = MetadataTokens.GetRowNumber(p.Document),
                    }).ToList());
                }
                catch (BadImageFormatException) { }
            }
        }
    }

    static List<Point> Hits(Dictionary<int, string> documents, List<Point> points, string suffix, int line, int column)
    {
        suffix = suffix.Replace('\\', '/');
        var tail = "/" + suffix.TrimStart('/');
        var matching = new HashSet<int>(documents.Where(d => d.Value == suffix || d.Value.EndsWith(tail, StringComparison.Ordinal)).Select(d => d.Key));
        var candidates = points.Where(p => matching.Contains(p.Document)).GroupBy(p => (p.Method, p.Document))
            .Where(g => g.Min(p => p.Line) <= line && line <= g.Max(p => p.EndLine)).SelectMany(g => g).ToList();
        var later = candidates.Where(p => p.Line >= line).ToList();
        if (later.Count == 0) return later;
        var start = later.Min(p => p.Line);
        var hits = candidates.Where(p => p.Line == start).ToList();
        if (column > 0 && start == line)
        {
            var around = hits.Where(p => p.Column <= column && (p.EndLine > line || column < p.EndColumn)).ToList();
            if (around.Count > 0) hits = around.Where(p => p.Column == around.Max(q => q.Column)).ToList();
            else
            {
                var after = hits.Where(p => p.Column >= column).ToList();
                hits = after.Where(p => p.Column == after.Min(q => q.Column)).ToList();
            }
        }
        return hits.OrderBy(p => p.Method).ThenBy(p => p.Offset).ThenBy(p => p.Document).ToList();
    }
}
