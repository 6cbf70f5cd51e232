using System;
using System.Collections.Generic;
using System.Data;
using System.IO;
using System.Reflection;

namespace Members
{
    // Objects of the framework whose getters do more than read; `texts` has what each of the getters really gives.
    public static class Described
    {
        private static readonly string[] s_getters =
        {
            "Host", "DnsSafeHost", "IdnHost", "Authority", "AbsolutePath", "LocalPath", "Query", "Fragment", "PathAndQuery",
            "AbsoluteUri", "Name", "DirectoryName", "Extension", "FullName", "Message", "Namespace", "IsEnum", "IsArray",
            "IsValueType", "IsGenericType",
        };

        public static void Show()
        {
            string[] addresses =
            {
                "https://user:name@Example.ORG:8080/a/b.c/?c=d&e=f/g#h?i", "http://example.org", "HTTP://example.org:80/x",
                "http://loopback/x", "http://127.1/x", "http://example.org/a/../b", "http://example.org/a%41?q=%41#%41",
                "http://example.org/ä?ö#ü", "http://exämple.org/", "file:///a/b.txt", "http://[::1]/x", "https://h:443/x/.y/",
                "ftp://example.org/f", "http://h/a b", "http://h?q", "http://h#f", "http://h/a.", "http://0x7f.1/", "mailto:a@b.c",
            };
            string[] paths =
            {
                "/tmp/some/file.txt", "/tmp/a.b/file", "relative.tar.gz", "/tmp/dot.", "/", "/tmp/", "/tmp//x", ".hidden", "/tmp/a b/ä.ö",
            };
            List<Uri> uris = new List<Uri>();
            List<Uri> used = new List<Uri>();
            List<FileInfo> files = new List<FileInfo>();
            List<DirectoryInfo> folders = new List<DirectoryInfo>();
            foreach (string address in addresses)
            {
                uris.Add(new Uri(address));
                used.Add(new Uri(address));
            }
            foreach (string path in paths)
            {
                files.Add(new FileInfo(path));
                folders.Add(new DirectoryInfo(path));
            }
            List<Exception> failures = new List<Exception>
            {
                new AggregateException("some", new Exception("one"), new ArgumentException("two", "name")),
                new AggregateException(),
                new AggregateException("outer", new AggregateException("inner", new Exception("deep"))),
                new AggregateException("odd", new Exception("…"), new Exception("(<x>)")),
            };
            List<Type> types = new List<Type>
            {
                typeof(List<string>), typeof(int), typeof(Outer<int>.Inner<string[]>), typeof(DayOfWeek), typeof(Program), typeof(int?),
                typeof(Dictionary<string, List<int[]>>), typeof(string), typeof(object[]), typeof(IDisposable), typeof((int, string)),
                typeof(int[,]), typeof(Dictionary<,>), typeof(int*), typeof(int).MakeByRefType(), typeof(List<>).GetGenericArguments()[0],
                typeof(List<>).MakeGenericType(typeof(Dictionary<,>).GetGenericArguments()[0]), typeof(Outer<>.Inner<>), typeof(void),
                typeof(Array), typeof(Enum), typeof(ValueType), typeof(Span<int>), typeof(int[][]), typeof(Environment.SpecialFolder),
                typeof(int).MakeArrayType(1),
            };
            DataTable table = new DataTable();
            table.Columns.Add("Name", typeof(string));
            table.Columns.Add("Id", typeof(int));
            DataRow row = table.Rows.Add("ann", 5);
            DataRow empty = table.Rows.Add(null, null);
            List<string> texts = new List<string>();
            Note(texts, "used", used);
            foreach (Uri uri in uris)
                Program.Use(uri.OriginalString);
            List<Uri> others = new List<Uri>();
            foreach (string address in addresses)
                others.Add(new Uri(address));
            Note(texts, "uris", others);
            List<FileInfo> otherFiles = new List<FileInfo>();
            List<DirectoryInfo> otherFolders = new List<DirectoryInfo>();
            foreach (string path in paths)
            {
                otherFiles.Add(new FileInfo(path));
                otherFolders.Add(new DirectoryInfo(path));
            }
            Note(texts, "files", otherFiles);
            Note(texts, "folders", otherFolders);
            Note(texts, "failures", failures);
            Note(texts, "types", types);
            for (int index = 0; index < types.Count; index++)
                texts.Add("types[" + index + "].ToString()=" + types[index].ToString());
            Program.Use(texts, row, empty, uris, files, folders, types); // @texts
        }

        private class Outer<T>
        {
            public class Inner<U>
            {
            }
        }

        private static void Note<T>(List<string> texts, string name, List<T> values)
        {
            for (int index = 0; index < values.Count; index++)
            {
                foreach (string getter in s_getters)
                {
                    PropertyInfo property = values[index].GetType().GetProperty(getter);
                    if (property == null)
                        continue;
                    string text;
                    try
                    {
                        object given = property.GetValue(values[index]);
                        text = given is bool ? (bool)given ? "true" : "false" : (string)given ?? "null";
                    }
                    catch (TargetInvocationException)
                    {
                        text = "throws";
                    }
                    texts.Add(name + "[" + index + "]." + getter + "=" + text);
                }
            }
        }
    }
}
