// "dump asm": a PE image as System.Reflection.Metadata reads it.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

sealed class AssemblyDump
{
    readonly Action<Record> emit;
    readonly PEReader pe;
    readonly byte[] file;
    MetadataReader reader;
    Types types;

    AssemblyDump(byte[] file, Action<Record> emit)
    {
        this.file = file;
        this.emit = emit;
        pe = new PEReader(new MemoryStream(file));
    }

    public static void Run(byte[] file, Action<Record> emit) => new AssemblyDump(file, emit).Run();

    public static string Tok(EntityHandle handle) => handle.IsNil ? null : MetadataTokens.GetToken(handle).ToString("x8");

    void Run()
    {
        var headers = pe.PEHeaders;
        var cor = headers.CorHeader;
        object entry = null;
        if (cor != null)
        {
            var token = cor.EntryPointTokenOrRelativeVirtualAddress;
            if ((cor.Flags & CorFlags.NativeEntryPoint) != 0) entry = token;
            else if ((token & 0xffffff) != 0) entry = token.ToString("x8");
        }
        emit(new Record
        {
            { "k", "pe" }, { "characteristics", (int)headers.CoffHeader.Characteristics }, { "dll_characteristics", (int)headers.PEHeader.DllCharacteristics },
            { "machine", (int)headers.CoffHeader.Machine }, { "magic", (int)headers.PEHeader.Magic }, { "timestamp", (uint)headers.CoffHeader.TimeDateStamp },
            { "size", file.Length }, { "size_of_image", headers.PEHeader.SizeOfImage },
            { "sections", headers.SectionHeaders.Select(s => new object[] { s.Name, s.VirtualAddress, s.VirtualSize, s.PointerToRawData, s.SizeOfRawData }).ToList() },
            { "cor_flags", cor == null ? null : (object)(int)cor.Flags }, { "entry", entry },
            { "metadata", cor == null ? null : new object[] { cor.MetadataDirectory.RelativeVirtualAddress, cor.MetadataDirectory.Size } },
            { "managed_native", cor == null ? null : new object[] { cor.ManagedNativeHeaderDirectory.RelativeVirtualAddress, cor.ManagedNativeHeaderDirectory.Size } },
        });
        DebugDirectory();
        if (!pe.HasMetadata) return;
        reader = pe.GetMetadataReader();
        types = new Types(reader);
        MetadataRecords(reader, pe.GetMetadata().GetContent().ToArray(), "", emit);
        Module(reader, reader.GetString(reader.GetModuleDefinition().Name), emit);
        References();
        TypeDefinitions();
        Members();
        Rest();
        UserStrings();
    }

    void DebugDirectory()
    {
        var i = 0;
        foreach (var entry in pe.ReadDebugDirectory())
        {
            emit(new Record
            {
                { "k", "debugdir" }, { "i", i++ }, { "type", (int)entry.Type }, { "major", (int)entry.MajorVersion }, { "minor", (int)entry.MinorVersion },
                { "stamp", entry.Stamp }, { "rva", entry.DataRelativeVirtualAddress }, { "ptr", entry.DataPointer }, { "size", entry.DataSize },
                { "portable_codeview", entry.MinorVersion == 0x504d }, { "data", Json.Try(() => DebugData(entry)) },
            });
        }
    }

    object DebugData(DebugDirectoryEntry entry)
    {
        var bytes = new ArraySegment<byte>(file, entry.DataPointer, entry.DataSize).ToArray();
        switch ((int)entry.Type)
        {
            case 2:
                var codeView = pe.ReadCodeViewDebugDirectoryData(entry);
                return new Record { { "age", codeView.Age }, { "guid", codeView.Guid.ToString() }, { "path", codeView.Path } };
            case 19:
                var checksum = pe.ReadPdbChecksumDebugDirectoryData(entry);
                return new Record { { "algorithm", checksum.AlgorithmName }, { "checksum", Json.Hex(checksum.Checksum) } };
            case 17:
                var pdb = Inflate(bytes);
                return new Record { { "compressed", bytes.Length - 8 }, { "size", pdb.Length }, { "sha256", Json.Sha256(pdb) } };
            default:
                return entry.DataSize == 0 ? "" : Json.Short(bytes);
        }
    }

    public static byte[] Inflate(byte[] entry)
    {
        using (var output = new MemoryStream())
        using (var stream = new DeflateStream(new MemoryStream(entry, 8, entry.Length - 8), CompressionMode.Decompress))
        {
            stream.CopyTo(output);
            return output.ToArray();
        }
    }

    // SRM does not show the stream headers: they are read here by hand (ECMA-335 II.24.2.1).
    public static void MetadataRecords(MetadataReader reader, byte[] metadata, string prefix, Action<Record> emit)
    {
        var streams = new List<object>();
        var at = 16 + BitConverter.ToInt32(metadata, 12);
        var count = BitConverter.ToUInt16(metadata, at + 2);
        at += 4;
        for (var i = 0; i < count; i++)
        {
            var end = Array.IndexOf(metadata, (byte)0, at + 8);
            var name = Encoding.UTF8.GetString(metadata, at + 8, end - at - 8);
            streams.Add(new object[] { name, BitConverter.ToInt32(metadata, at), BitConverter.ToInt32(metadata, at + 4) });
            at = at + 8 + (name.Length / 4 + 1) * 4;
        }
        emit(new Record { { "k", prefix + "metadata" }, { "length", reader.MetadataLength }, { "version", reader.MetadataVersion }, { "streams", streams } });
        for (var table = 0; table < 64; table++)
        {
            if (!Enum.IsDefined(typeof(TableIndex), (TableIndex)table)) continue;
            var rows = reader.GetTableRowCount((TableIndex)table);
            if (rows != 0)
                emit(new Record { { "k", prefix + "table" }, { "t", table }, { "rows", rows }, { "size", reader.GetTableRowSize((TableIndex)table) } });
        }
    }

    public static object Guid(MetadataReader reader, GuidHandle handle) => handle.IsNil ? null : reader.GetGuid(handle).ToString();

    public static void Module(MetadataReader reader, string name, Action<Record> emit)
    {
        var module = reader.GetModuleDefinition();
        emit(new Record
        {
            { "k", "module" }, { "name", name }, { "gen", module.Generation }, { "mvid", Guid(reader, module.Mvid) },
            { "id", Guid(reader, module.GenerationId) }, { "base", Guid(reader, module.BaseGenerationId) },
        });
    }

    string Str(StringHandle handle) => reader.GetString(handle);
    string Hex(BlobHandle handle) => Json.Hex(reader.GetBlobBytes(handle));
    string ShortBlob(BlobHandle handle) => Json.Short(reader.GetBlobBytes(handle));

    void References()
    {
        if (reader.IsAssembly)
        {
            var a = reader.GetAssemblyDefinition();
            emit(new Record { { "k", "assembly" }, { "name", Str(a.Name) }, { "version", a.Version.ToString() }, { "culture", Str(a.Culture) }, { "flags", (int)a.Flags }, { "hash_alg", (int)a.HashAlgorithm }, { "key", Hex(a.PublicKey) } });
        }
        foreach (var h in reader.AssemblyReferences)
        {
            var r = reader.GetAssemblyReference(h);
            emit(new Record { { "k", "assemblyref" }, { "tok", Tok(h) }, { "name", Str(r.Name) }, { "version", r.Version.ToString() }, { "culture", Str(r.Culture) }, { "flags", (int)r.Flags }, { "key", Hex(r.PublicKeyOrToken) }, { "hash", Hex(r.HashValue) } });
        }
        for (var i = 1; i <= reader.GetTableRowCount(TableIndex.ModuleRef); i++)
        {
            var h = MetadataTokens.ModuleReferenceHandle(i);
            emit(new Record { { "k", "moduleref" }, { "tok", Tok(h) }, { "name", Str(reader.GetModuleReference(h).Name) } });
        }
        foreach (var h in reader.AssemblyFiles)
        {
            var f = reader.GetAssemblyFile(h);
            emit(new Record { { "k", "file" }, { "tok", Tok(h) }, { "name", Str(f.Name) }, { "meta", f.ContainsMetadata }, { "hash", ShortBlob(f.HashValue) } });
        }
        foreach (var h in reader.ExportedTypes)
        {
            var t = reader.GetExportedType(h);
            emit(new Record { { "k", "exportedtype" }, { "tok", Tok(h) }, { "ns", Str(t.Namespace) }, { "name", Str(t.Name) }, { "attrs", (uint)t.Attributes }, { "impl", Tok(t.Implementation) } });
        }
        foreach (var h in reader.ManifestResources)
        {
            var r = reader.GetManifestResource(h);
            emit(new Record { { "k", "resource" }, { "tok", Tok(h) }, { "name", Str(r.Name) }, { "attrs", (int)r.Attributes }, { "offset", r.Offset }, { "impl", Tok(r.Implementation) } });
        }
        foreach (var h in reader.TypeReferences)
        {
            var t = reader.GetTypeReference(h);
            emit(new Record { { "k", "typeref" }, { "tok", Tok(h) }, { "full", Json.Try(() => types.Name(h)) }, { "ns", Str(t.Namespace) }, { "name", Str(t.Name) }, { "scope", Tok(t.ResolutionScope) } });
        }
    }

    static object Run(IEnumerable<EntityHandle> handles)
    {
        var all = handles.ToList();
        return all.Count == 0 ? null : new object[] { Tok(all[0]), all.Count };
    }

    List<object> Generics(GenericParameterHandleCollection handles) => handles.Select(h => (object)Str(reader.GetGenericParameter(h).Name)).ToList();

    void TypeDefinitions()
    {
        foreach (var h in reader.TypeDefinitions)
        {
            var t = reader.GetTypeDefinition(h);
            var layout = t.GetLayout();
            emit(new Record
            {
                { "k", "typedef" }, { "tok", Tok(h) }, { "full", Json.Try(() => types.Name(h)) }, { "ns", Str(t.Namespace) }, { "name", Str(t.Name) }, { "attrs", (uint)t.Attributes },
                { "base", Json.Try(() => types.Name(t.BaseType)) }, { "base_tok", Tok(t.BaseType) }, { "decl", Tok(t.GetDeclaringType()) },
                { "nested", t.GetNestedTypes().Select(n => Tok(n)).ToList() }, { "generics", Generics(t.GetGenericParameters()) },
                { "interfaces", t.GetInterfaceImplementations().Select(i => { var face = reader.GetInterfaceImplementation(i).Interface; return new[] { Tok(i), Tok(face), Json.Try(() => types.Name(face)) }; }).ToList() },
                { "layout", layout.IsDefault ? null : new object[] { layout.PackingSize, layout.Size } },
                { "fields", Run(t.GetFields().Select(f => (EntityHandle)f)) }, { "methods", Run(t.GetMethods().Select(m => (EntityHandle)m)) },
                { "props", t.GetProperties().Select(p => Tok(p)).ToList() }, { "events", t.GetEvents().Select(e => Tok(e)).ToList() },
            });
        }
    }

    object Const(ConstantHandle handle)
    {
        if (handle.IsNil) return null;
        var constant = reader.GetConstant(handle);
        return new object[] { (int)constant.TypeCode, ShortBlob(constant.Value) };
    }

    void Members()
    {
        foreach (var h in reader.FieldDefinitions)
        {
            var f = reader.GetFieldDefinition(h);
            var offset = f.GetOffset();
            var marshal = f.GetMarshallingDescriptor();
            emit(new Record
            {
                { "k", "field" }, { "tok", Tok(h) }, { "name", Str(f.Name) }, { "attrs", (int)f.Attributes }, { "decl", Tok(f.GetDeclaringType()) },
                { "sig", Json.Try(() => f.DecodeSignature(types, null)) }, { "const", Const(f.GetDefaultValue()) }, { "offset", offset < 0 ? null : (object)offset },
                { "rva", f.GetRelativeVirtualAddress() }, { "marshal", marshal.IsNil ? null : ShortBlob(marshal) },
            });
        }
        foreach (var h in reader.MethodDefinitions)
        {
            var m = reader.GetMethodDefinition(h);
            var import = m.GetImport();
            emit(new Record
            {
                { "k", "method" }, { "tok", Tok(h) }, { "name", Str(m.Name) }, { "attrs", (int)m.Attributes }, { "impl", (int)m.ImplAttributes }, { "rva", m.RelativeVirtualAddress },
                { "decl", Tok(m.GetDeclaringType()) }, { "sig", Json.Try(() => types.Method(m.DecodeSignature(types, null))) }, { "generics", Generics(m.GetGenericParameters()) },
                { "params", m.GetParameters().Select(p => reader.GetParameter(p)).Select(p => new object[] { p.SequenceNumber, Str(p.Name), (int)p.Attributes, Const(p.GetDefaultValue()) }).ToList() },
                { "import", import.Module.IsNil ? null : new object[] { (int)import.Attributes, Tok(import.Module), Str(import.Name) } },
                { "il", Json.Try(() => Body(m)) },
            });
        }
        foreach (var h in reader.PropertyDefinitions)
        {
            var p = reader.GetPropertyDefinition(h);
            var accessors = p.GetAccessors();
            emit(new Record
            {
                { "k", "property" }, { "tok", Tok(h) }, { "name", Str(p.Name) }, { "attrs", (int)p.Attributes }, { "sig", Json.Try(() => types.Method(p.DecodeSignature(types, null))) },
                { "getter", Tok(accessors.Getter) }, { "setter", Tok(accessors.Setter) }, { "others", accessors.Others.Select(o => Tok(o)).ToList() }, { "const", Const(p.GetDefaultValue()) },
            });
        }
        foreach (var h in reader.EventDefinitions)
        {
            var e = reader.GetEventDefinition(h);
            var accessors = e.GetAccessors();
            emit(new Record
            {
                { "k", "event" }, { "tok", Tok(h) }, { "name", Str(e.Name) }, { "attrs", (int)e.Attributes }, { "type", Tok(e.Type) },
                { "add", Tok(accessors.Adder) }, { "remove", Tok(accessors.Remover) }, { "raise", Tok(accessors.Raiser) }, { "others", accessors.Others.Select(o => Tok(o)).ToList() },
            });
        }
    }

    object Body(MethodDefinition method)
    {
        if (method.RelativeVirtualAddress == 0 || ((int)method.ImplAttributes & 3) != 0) return null;
        var body = pe.GetMethodBody(method.RelativeVirtualAddress);
        var il = body.GetILBytes();
        return new Record
        {
            { "size", il.Length }, { "sha256", Json.Sha256(il) }, { "maxstack", body.MaxStack }, { "init", body.LocalVariablesInitialized }, { "localsig", Tok(body.LocalSignature) },
            { "eh", body.ExceptionRegions.Select(r => new object[] { (int)r.Kind, r.TryOffset, r.TryLength, r.HandlerOffset, r.HandlerLength, r.Kind == ExceptionRegionKind.Filter ? (object)r.FilterOffset : Tok(r.CatchType) }).ToList() },
        };
    }

    void Rest()
    {
        for (var i = 1; i <= reader.GetTableRowCount(TableIndex.GenericParam); i++)
        {
            var h = MetadataTokens.GenericParameterHandle(i);
            var p = reader.GetGenericParameter(h);
            emit(new Record
            {
                { "k", "genericparam" }, { "tok", Tok(h) }, { "owner", Tok(p.Parent) }, { "i", p.Index }, { "name", Str(p.Name) }, { "attrs", (int)p.Attributes },
                { "constraints", p.GetConstraints().Select(c => Json.Try(() => types.Name(reader.GetGenericParameterConstraint(c).Type))).ToList() },
            });
        }
        foreach (var type in reader.TypeDefinitions)
        {
            foreach (var h in reader.GetTypeDefinition(type).GetMethodImplementations())
            {
                var impl = reader.GetMethodImplementation(h);
                emit(new Record { { "k", "methodimpl" }, { "row", MetadataTokens.GetRowNumber(h) }, { "class", Tok(impl.Type) }, { "body", Tok(impl.MethodBody) }, { "decl", Tok(impl.MethodDeclaration) } });
            }
        }
        foreach (var h in reader.MemberReferences)
        {
            var m = reader.GetMemberReference(h);
            emit(new Record
            {
                { "k", "memberref" }, { "tok", Tok(h) }, { "name", Str(m.Name) }, { "parent", Tok(m.Parent) },
                { "sig", Json.Try(() => m.GetKind() == MemberReferenceKind.Field ? m.DecodeFieldSignature(types, null) : types.Method(m.DecodeMethodSignature(types, null))) },
            });
        }
        for (var i = 1; i <= reader.GetTableRowCount(TableIndex.TypeSpec); i++)
        {
            var h = MetadataTokens.TypeSpecificationHandle(i);
            emit(new Record { { "k", "typespec" }, { "tok", Tok(h) }, { "sig", Json.Try(() => types.Name((EntityHandle)h)) } });
        }
        for (var i = 1; i <= reader.GetTableRowCount(TableIndex.MethodSpec); i++)
        {
            var h = MetadataTokens.MethodSpecificationHandle(i);
            var spec = reader.GetMethodSpecification(h);
            emit(new Record { { "k", "methodspec" }, { "tok", Tok(h) }, { "method", Tok(spec.Method) }, { "args", Json.Try(() => spec.DecodeSignature(types, null).ToList()) } });
        }
        for (var i = 1; i <= reader.GetTableRowCount(TableIndex.StandAloneSig); i++)
        {
            var h = MetadataTokens.StandaloneSignatureHandle(i);
            emit(new Record { { "k", "standalonesig" }, { "tok", Tok(h) }, { "sig", Json.Try(() => StandAlone(reader.GetStandaloneSignature(h))) } });
        }
        var attributeTypes = new AttributeTypes(reader, types);
        foreach (var h in reader.CustomAttributes)
        {
            var a = reader.GetCustomAttribute(h);
            var type = AttributeType(a.Constructor);
            var name = Json.Try(() => types.Name(type));
            object args = null;
            if (name is string text && text.Split('.', '+').Last().StartsWith("Debugg", StringComparison.Ordinal))
                args = Json.Try(() => Arguments(a.DecodeValue(attributeTypes)));
            emit(new Record { { "k", "attr" }, { "tok", Tok(h) }, { "parent", Tok(a.Parent) }, { "ctor", Tok(a.Constructor) }, { "type", name }, { "value", ShortBlob(a.Value) }, { "args", args } });
        }
    }

    EntityHandle AttributeType(EntityHandle constructor) => constructor.Kind == HandleKind.MethodDefinition
        ? reader.GetMethodDefinition((MethodDefinitionHandle)constructor).GetDeclaringType()
        : reader.GetMemberReference((MemberReferenceHandle)constructor).Parent;

    object StandAlone(StandaloneSignature signature)
    {
        var blob = reader.GetBlobReader(signature.Signature);
        var header = blob.ReadSignatureHeader();
        if (header.Kind == SignatureKind.Field) return "field " + new SignatureDecoder<string, object>(types, reader, null).DecodeType(ref blob);
        if (header.Kind == SignatureKind.LocalVariables) return signature.DecodeLocalSignature(types, null).ToList();
        return types.Method(signature.DecodeMethodSignature(types, null));
    }

    static object Value(object value)
    {
        switch (value)
        {
            case null: return null;
            case char c: return (int)c;
            case float f: return Json.Hex(BitConverter.GetBytes(f));
            case double d: return Json.Hex(BitConverter.GetBytes(d));
            case System.Collections.Immutable.ImmutableArray<CustomAttributeTypedArgument<string>> items: return items.Select(i => new[] { i.Type, Value(i.Value) }).ToList();
            default: return value;
        }
    }

    static Record Arguments(CustomAttributeValue<string> value) => new Record
    {
        { "fixed", value.FixedArguments.Select(a => new[] { a.Type, Value(a.Value) }).ToList() },
        { "named", value.NamedArguments.Select(a => new[] { a.Kind == CustomAttributeNamedArgumentKind.Field ? "field" : "property", a.Name, a.Type, Value(a.Value) }).ToList() },
    };

    void UserStrings()
    {
        var size = reader.GetHeapSize(HeapIndex.UserString);
        var start = reader.GetHeapMetadataOffset(HeapIndex.UserString);
        var content = pe.GetMetadata();
        var at = 1;
        while (at < size)
        {
            var blob = content.GetReader(start + at, size - at);
            if (blob.ReadByte() == 0) { at++; continue; }
            blob.Offset = 0;
            var length = blob.ReadCompressedInteger();
            var text = reader.GetUserString(MetadataTokens.UserStringHandle(at));
            var bytes = new byte[text.Length * 2];
            Buffer.BlockCopy(text.ToCharArray(), 0, bytes, 0, bytes.Length);
            emit(new Record { { "k", "userstring" }, { "tok", (0x70000000 + at).ToString("x8") }, { "len", text.Length }, { "sha256", Json.Sha256(bytes) }, { "text", text.Length > 64 ? text.Substring(0, 64) : text } });
            at += blob.Offset + length;
        }
    }
}
