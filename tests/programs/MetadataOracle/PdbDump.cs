// "dump pdb": a Portable PDB as System.Reflection.Metadata reads it.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

sealed class PdbDump
{
    readonly Action<Record> emit;
    readonly byte[] pdb;
    readonly MetadataReader reader;

    PdbDump(byte[] pdb, MetadataReader reader, Action<Record> emit)
    {
        this.pdb = pdb;
        this.reader = reader;
        this.emit = emit;
    }

    /// <summary>The bytes of the PDB: of the file, or of the one embedded in an image.</summary>
    public static byte[] Content(byte[] file)
    {
        if (file.Length < 2 || file[0] != 'M' || file[1] != 'Z') return file;
        using (var pe = new PEReader(new MemoryStream(file)))
        {
            var entry = pe.ReadDebugDirectory().First(e => (int)e.Type == 17);
            return AssemblyDump.Inflate(new ArraySegment<byte>(file, entry.DataPointer, entry.DataSize).ToArray());
        }
    }

    public static MetadataReaderProvider Open(byte[] pdb) => MetadataReaderProvider.FromPortablePdbImage(ImmutableArray.Create(pdb));

    public static void Run(byte[] file, Action<Record> emit)
    {
        var pdb = Content(file);
        using (var provider = Open(pdb)) new PdbDump(pdb, provider.GetMetadataReader(), emit).Run();
    }

    static string Tok(EntityHandle handle) => AssemblyDump.Tok(handle);

    void Run()
    {
        var header = reader.DebugMetadataHeader;
        emit(new Record { { "k", "pdb" }, { "id", Json.Hex(header.Id) }, { "entry", Tok(header.EntryPoint) }, { "refs", Referenced() }, { "size", pdb.Length }, { "sha256", Json.Sha256(pdb) } });
        AssemblyDump.MetadataRecords(reader, pdb, "pdb_", emit);
        foreach (var h in reader.Documents)
        {
            var d = reader.GetDocument(h);
            emit(new Record
            {
                { "k", "document" }, { "row", MetadataTokens.GetRowNumber(h) }, { "name", d.Name.IsNil ? null : Json.Try(() => reader.GetString(d.Name)) },
                { "alg", AssemblyDump.Guid(reader, d.HashAlgorithm) }, { "hash", Json.Hex(reader.GetBlobBytes(d.Hash)) }, { "lang", AssemblyDump.Guid(reader, d.Language) },
            });
        }
        foreach (var h in reader.MethodDebugInformation)
        {
            var m = reader.GetMethodDebugInformation(h);
            emit(new Record
            {
                { "k", "method_debug" }, { "m", MetadataTokens.GetToken(h.ToDefinitionHandle()).ToString("x8") }, { "doc", MetadataTokens.GetRowNumber(m.Document) },
                { "kickoff", Tok(m.GetStateMachineKickoffMethod()) }, { "localsig", Json.Try(() => Tok(m.LocalSignature)) },
                { "sp", m.SequencePointsBlob.IsNil ? null : Json.Try(() => m.GetSequencePoints().Select(p => new object[] { p.Offset, p.StartLine, p.StartColumn, p.EndLine, p.EndColumn, p.IsHidden, MetadataTokens.GetRowNumber(p.Document) }).ToList()) },
            });
        }
        foreach (var h in reader.LocalScopes) Scope(h);
        foreach (var h in reader.ImportScopes)
        {
            var s = reader.GetImportScope(h);
            emit(new Record { { "k", "import" }, { "row", MetadataTokens.GetRowNumber(h) }, { "parent", MetadataTokens.GetRowNumber(s.Parent) }, { "imports", s.ImportsBlob.IsNil ? null : Json.Try(() => Imports(s)) } });
        }
        foreach (var h in reader.CustomDebugInformation)
        {
            var c = reader.GetCustomDebugInformation(h);
            var guid = AssemblyDump.Guid(reader, c.Kind);
            Kinds.Names.TryGetValue(guid as string ?? "", out var kind);
            emit(new Record
            {
                { "k", "cdi" }, { "row", MetadataTokens.GetRowNumber(h) }, { "parent", Tok(c.Parent) }, { "guid", guid }, { "kind", kind },
                { "value", Json.Short(reader.GetBlobBytes(c.Value)) }, { "data", kind == null ? null : Json.Try(() => Kinds.Decode(kind, reader.GetBlobBytes(c.Value), reader.GetBlobReader(c.Value))) },
            });
        }
        Enc(reader, emit);
    }

    public static void Enc(MetadataReader reader, Action<Record> emit)
    {
        var i = 0;
        foreach (var e in reader.GetEditAndContinueLogEntries()) emit(new Record { { "k", "enc_log" }, { "i", ++i }, { "tok", Tok(e.Handle) }, { "op", (int)e.Operation } });
        i = 0;
        foreach (var h in reader.GetEditAndContinueMapEntries()) emit(new Record { { "k", "enc_map" }, { "i", ++i }, { "tok", Tok(h) } });
    }

    // SRM keeps the referenced row counts to itself: they are read here by hand.
    List<object> Referenced()
    {
        var found = new List<object>();
        var at = 16 + BitConverter.ToInt32(pdb, 12);
        var count = BitConverter.ToUInt16(pdb, at + 2);
        at += 4;
        for (var i = 0; i < count; i++)
        {
            var end = Array.IndexOf(pdb, (byte)0, at + 8);
            var name = Encoding.UTF8.GetString(pdb, at + 8, end - at - 8);
            if (name == "#Pdb")
            {
                var stream = BitConverter.ToInt32(pdb, at);
                var mask = BitConverter.ToUInt64(pdb, stream + 24);
                var rows = stream + 32;
                for (var table = 0; table < 64; table++)
                {
                    if ((mask >> table & 1) == 0) continue;
                    found.Add(new object[] { table, BitConverter.ToInt32(pdb, rows) });
                    rows += 4;
                }
            }
            at = at + 8 + (name.Length / 4 + 1) * 4;
        }
        return found;
    }

    void Scope(LocalScopeHandle h)
    {
        var s = reader.GetLocalScope(h);
        var vars = new List<object>();
        foreach (var v in s.GetLocalVariables())
        {
            var variable = reader.GetLocalVariable(v);
            vars.Add(new object[] { MetadataTokens.GetRowNumber(v), variable.Index, (int)variable.Attributes, reader.GetString(variable.Name) });
        }
        var consts = new List<object>();
        foreach (var c in s.GetLocalConstants())
        {
            var constant = reader.GetLocalConstant(c);
            consts.Add(new object[] { MetadataTokens.GetRowNumber(c), reader.GetString(constant.Name), Json.Short(reader.GetBlobBytes(constant.Signature)), Json.Try(() => Constant(reader.GetBlobReader(constant.Signature))) });
        }
        emit(new Record
        {
            { "k", "scope" }, { "row", MetadataTokens.GetRowNumber(h) }, { "m", Tok(s.Method) }, { "import", MetadataTokens.GetRowNumber(s.ImportScope) },
            { "start", s.StartOffset }, { "len", s.Length }, { "vars", vars }, { "consts", consts },
        });
    }

    static object Constant(BlobReader blob)
    {
        var mods = new List<object>();
        var code = blob.ReadCompressedInteger();
        while (code == 0x1f || code == 0x20)
        {
            mods.Add(new object[] { code == 0x1f ? "modreq" : "modopt", Tok(blob.ReadTypeHandle()) });
            code = blob.ReadCompressedInteger();
        }
        var record = new Record { { "code", code }, { "mods", mods } };
        switch (code)
        {
            case 2: record["value"] = (int)blob.ReadByte(); break;
            case 3: record["value"] = (int)blob.ReadUInt16(); break;
            case 4: record["value"] = blob.ReadSByte(); break;
            case 5: record["value"] = blob.ReadByte(); break;
            case 6: record["value"] = blob.ReadInt16(); break;
            case 7: record["value"] = blob.ReadUInt16(); break;
            case 8: record["value"] = blob.ReadInt32(); break;
            case 9: record["value"] = blob.ReadUInt32(); break;
            case 10: record["value"] = blob.ReadInt64(); break;
            case 11: record["value"] = blob.ReadUInt64(); break;
            case 12: record["value"] = Json.Hex(blob.ReadBytes(4)); break;
            case 13: record["value"] = Json.Hex(blob.ReadBytes(8)); break;
            case 14:
                if (blob.RemainingBytes == 1 && blob.ReadByte() == 0xff) { record["value"] = null; break; }
                record["value"] = blob.ReadUTF16(blob.RemainingBytes & ~1);
                if (blob.RemainingBytes == 1) blob.ReadByte();
                break;
            case 0x11:
            case 0x12:
                record["type"] = Tok(blob.ReadTypeHandle());
                var raw = blob.ReadBytes(blob.RemainingBytes);
                record["raw"] = Json.Hex(raw);
                if (code == 0x11 && raw.Length == 13)
                {
                    var number = new decimal(BitConverter.ToInt32(raw, 1), BitConverter.ToInt32(raw, 5), BitConverter.ToInt32(raw, 9), raw[0] >= 0x80, (byte)(raw[0] & 0x7f));
                    record["decimal"] = number == 0 ? Math.Abs(number).ToString(CultureInfo.InvariantCulture) : number.ToString(CultureInfo.InvariantCulture);
                }
                else if (code == 0x11 && raw.Length == 8) record["ticks"] = BitConverter.ToInt64(raw, 0);
                break;
            case 0x1c: break;
            default: throw new BadImageFormatException();
        }
        if (blob.RemainingBytes > 0 && code <= 14) record["type"] = Tok(blob.ReadTypeHandle());
        if (blob.RemainingBytes > 0) record["rest"] = Json.Hex(blob.ReadBytes(blob.RemainingBytes));
        return record;
    }

    object Imports(ImportScope scope)
    {
        var found = new List<object>();
        foreach (var i in scope.GetImports())
        {
            var kind = (int)i.Kind;
            var hasNamespace = kind == 1 || kind == 2 || kind == 4 || kind == 7 || kind == 8;
            found.Add(new object[] { kind, i.Alias.IsNil ? null : Utf8(i.Alias), Tok(i.TargetAssembly), hasNamespace ? Utf8(i.TargetNamespace) : null, kind == 3 || kind == 9 ? Tok(i.TargetType) : null });
        }
        return found;
    }

    string Utf8(BlobHandle handle) => Encoding.UTF8.GetString(reader.GetBlobBytes(handle));
}

/// <summary>Custom debug information, decoded here: SRM has no decoders for it.</summary>
static class Kinds
{
    public static readonly Dictionary<string, string> Names = new Dictionary<string, string>
    {
        { "54fd2ac5-e925-401a-9c2a-f94f171072f8", "async_stepping" }, { "6da9a61e-f8c7-4874-be62-68bc5630df71", "hoisted_scopes" },
        { "83c563c4-b4f3-47d5-b824-ba5441477ea8", "dynamic" }, { "ed9fdf71-8879-4747-8ed3-fe5ede3ce710", "tuple_names" },
        { "58b2eab6-209f-4e4e-a22c-b2d0f910c782", "default_namespace" }, { "755f52a8-91c5-45be-b4b8-209571e552bd", "enc_local_slots" },
        { "a643004c-0240-496f-a783-30d64f4979de", "enc_lambdas" }, { "8b78cd68-2ede-420b-980b-e15884b8aaa3", "enc_states" },
        { "cc110556-a091-4d38-9fec-25ab9a351a6a", "source_link" }, { "0e8a571b-6926-466e-b4ad-8ab04611f5fe", "embedded_source" },
        { "7e4d4708-096e-4c5c-aeda-cb10ba6a740d", "metadata_refs" }, { "b5feec05-8cd0-4a83-96da-466284bb4bd8", "compilation_options" },
        { "932e74bc-dba9-4478-8d46-0f32a7bab3d3", "type_documents" }, { "9d40ace1-c703-4d0e-bf41-7243060a8fb5", "primary_constructor" },
    };

    static string Text(ref BlobReader blob)
    {
        var end = blob.IndexOf(0);
        if (end < 0) throw new BadImageFormatException();
        var text = Encoding.UTF8.GetString(blob.ReadBytes(end));
        blob.ReadByte();
        return text;
    }

    public static object Decode(string kind, byte[] bytes, BlobReader blob)
    {
        var list = new List<object>();
        switch (kind)
        {
            case "hoisted_scopes":
                while (blob.RemainingBytes > 0) list.Add(new object[] { blob.ReadUInt32(), blob.ReadUInt32() });
                return list;
            case "async_stepping":
                var handler = (long)blob.ReadUInt32() - 1;
                while (blob.RemainingBytes > 0) list.Add(new object[] { blob.ReadUInt32(), blob.ReadUInt32(), AssemblyDump.Tok(MetadataTokens.MethodDefinitionHandle(blob.ReadCompressedInteger())) });
                return new Record { { "catch", handler }, { "awaits", list } };
            case "dynamic":
                return string.Concat(bytes.SelectMany(b => Enumerable.Range(0, 8).Select(bit => (b >> bit & 1) == 0 ? '0' : '1')));
            case "tuple_names":
                while (blob.RemainingBytes > 0) { var name = Text(ref blob); list.Add(name.Length == 0 ? null : name); }
                return list;
            case "default_namespace":
                return Encoding.UTF8.GetString(bytes);
            case "source_link":
                return new Record { { "size", bytes.Length }, { "sha256", Json.Sha256(bytes) } };
            case "embedded_source":
                var format = blob.ReadInt32();
                var rest = blob.ReadBytes(blob.RemainingBytes);
                if (format != 0)
                {
                    using (var output = new MemoryStream())
                    using (var stream = new DeflateStream(new MemoryStream(rest), CompressionMode.Decompress))
                    {
                        stream.CopyTo(output);
                        rest = output.ToArray();
                    }
                }
                return new Record { { "format", format }, { "size", rest.Length }, { "sha256", Json.Sha256(rest) } };
            case "compilation_options":
                while (blob.RemainingBytes > 0) { var key = Text(ref blob); list.Add(new object[] { key, Text(ref blob) }); }
                return list;
            case "metadata_refs":
                while (blob.RemainingBytes > 0)
                {
                    var file = Text(ref blob);
                    var aliases = Text(ref blob);
                    list.Add(new object[] { file, aliases, blob.ReadByte(), blob.ReadUInt32(), blob.ReadUInt32(), blob.ReadGuid().ToString() });
                }
                return list;
            case "type_documents":
                while (blob.RemainingBytes > 0) list.Add(blob.ReadCompressedInteger());
                return list;
            case "enc_local_slots":
                var baseline = -1;
                while (blob.RemainingBytes > 0)
                {
                    var b = blob.ReadByte();
                    if (b == 0xff) { baseline = -blob.ReadCompressedInteger(); continue; }
                    if (b == 0) { list.Add(null); continue; }
                    var offset = blob.ReadCompressedInteger() + baseline;
                    list.Add(new object[] { (b & 0x7f) - 1, offset, (b & 0x80) != 0 ? blob.ReadCompressedInteger() : 0 });
                }
                return list;
            case "enc_lambdas":
                var ordinal = blob.ReadCompressedInteger() - 1;
                var from = -blob.ReadCompressedInteger();
                var closures = new List<object>();
                for (var count = blob.ReadCompressedInteger(); count > 0; count--) closures.Add(blob.ReadCompressedInteger() + from);
                while (blob.RemainingBytes > 0) { var at = blob.ReadCompressedInteger() + from; list.Add(new object[] { at, blob.ReadCompressedInteger() - 2 }); }
                return new Record { { "ordinal", ordinal }, { "closures", closures }, { "lambdas", list } };
            case "enc_states":
                var states = blob.ReadCompressedInteger();
                if (states > 0)
                {
                    var origin = -blob.ReadCompressedInteger();
                    for (; states > 0; states--) { var state = blob.ReadCompressedSignedInteger(); list.Add(new object[] { state, blob.ReadCompressedInteger() + origin }); }
                }
                return list;
            default:
                return Json.Short(bytes);
        }
    }
}
