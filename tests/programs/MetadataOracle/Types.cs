// Prints signatures in the notation of the dump, by System.Reflection.Metadata's decoder.
using System;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

sealed class Types : ISignatureTypeProvider<string, object>
{
    readonly MetadataReader reader;

    public Types(MetadataReader reader) => this.reader = reader;

    public string Name(EntityHandle handle)
    {
        if (handle.IsNil) return null;
        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition: return Name((TypeDefinitionHandle)handle);
            case HandleKind.TypeReference: return Name((TypeReferenceHandle)handle);
            default: return reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(this, null);
        }
    }

    public string Name(TypeDefinitionHandle handle)
    {
        var type = reader.GetTypeDefinition(handle);
        var full = Join(type.Namespace, type.Name);
        var outer = type.GetDeclaringType();
        return outer.IsNil ? full : Name(outer) + "+" + full;
    }

    public string Name(TypeReferenceHandle handle)
    {
        var type = reader.GetTypeReference(handle);
        var full = Join(type.Namespace, type.Name);
        var scope = type.ResolutionScope;
        return !scope.IsNil && scope.Kind == HandleKind.TypeReference ? Name((TypeReferenceHandle)scope) + "+" + full : full;
    }

    string Join(StringHandle space, StringHandle name)
    {
        var prefix = reader.GetString(space);
        return prefix.Length == 0 ? reader.GetString(name) : prefix + "." + reader.GetString(name);
    }

    static string Prefix(byte rawTypeKind) => rawTypeKind == 0x11 ? "valuetype " : rawTypeKind == 0x12 ? "class " : "";

    public string Method(MethodSignature<string> signature)
    {
        var header = signature.Header;
        var text = "";
        if (header.IsInstance) text += "instance ";
        if (header.HasExplicitThis) text += "explicit ";
        switch (header.CallingConvention)
        {
            case SignatureCallingConvention.CDecl: text += "cdecl "; break;
            case SignatureCallingConvention.StdCall: text += "stdcall "; break;
            case SignatureCallingConvention.ThisCall: text += "thiscall "; break;
            case SignatureCallingConvention.FastCall: text += "fastcall "; break;
            case SignatureCallingConvention.VarArgs: text += "vararg "; break;
            case (SignatureCallingConvention)9: text += "unmanaged "; break;
        }
        if (signature.GenericParameterCount != 0) text += "<" + signature.GenericParameterCount + "> ";
        var parameters = signature.ParameterTypes.Select((p, i) =>
            i == signature.RequiredParameterCount && i < signature.ParameterTypes.Length ? "...," + p : p);
        return text + signature.ReturnType + "(" + string.Join(",", parameters) + ")";
    }

    public string GetPrimitiveType(PrimitiveTypeCode typeCode)
    {
        switch (typeCode)
        {
            case PrimitiveTypeCode.Void: return "void";
            case PrimitiveTypeCode.Boolean: return "bool";
            case PrimitiveTypeCode.Char: return "char";
            case PrimitiveTypeCode.SByte: return "int8";
            case PrimitiveTypeCode.Byte: return "uint8";
            case PrimitiveTypeCode.Int16: return "int16";
            case PrimitiveTypeCode.UInt16: return "uint16";
            case PrimitiveTypeCode.Int32: return "int32";
            case PrimitiveTypeCode.UInt32: return "uint32";
            case PrimitiveTypeCode.Int64: return "int64";
            case PrimitiveTypeCode.UInt64: return "uint64";
            case PrimitiveTypeCode.Single: return "float32";
            case PrimitiveTypeCode.Double: return "float64";
            case PrimitiveTypeCode.String: return "string";
            case PrimitiveTypeCode.Object: return "object";
            case PrimitiveTypeCode.TypedReference: return "typedref";
            case PrimitiveTypeCode.IntPtr: return "nint";
            case PrimitiveTypeCode.UIntPtr: return "nuint";
            default: throw new BadImageFormatException();
        }
    }

    public string GetTypeFromDefinition(MetadataReader r, TypeDefinitionHandle h, byte kind) => Prefix(kind) + Name(h);
    public string GetTypeFromReference(MetadataReader r, TypeReferenceHandle h, byte kind) => Prefix(kind) + Name(h);
    public string GetTypeFromSpecification(MetadataReader r, object context, TypeSpecificationHandle h, byte kind) => Prefix(kind) + Name(h);
    public string GetSZArrayType(string element) => element + "[]";
    public string GetArrayType(string element, ArrayShape shape) =>
        element + "[r:" + shape.Rank + " s:" + string.Join(",", shape.Sizes) + " l:" + string.Join(",", shape.LowerBounds) + "]";
    public string GetByReferenceType(string element) => element + "&";
    public string GetPointerType(string element) => element + "*";
    public string GetPinnedType(string element) => element + " pinned";
    public string GetGenericInstantiation(string generic, ImmutableArray<string> arguments) => generic + "<" + string.Join(",", arguments) + ">";
    public string GetGenericTypeParameter(object context, int index) => "!" + index;
    public string GetGenericMethodParameter(object context, int index) => "!!" + index;
    public string GetFunctionPointerType(MethodSignature<string> signature) => "fnptr(" + Method(signature) + ")";

    public string GetModifiedType(string modifier, string unmodified, bool isRequired) =>
        unmodified + (isRequired ? " modreq(" : " modopt(") + modifier + ")";
}

/// <summary>The values of custom attributes; an enum's underlying type is looked for in the same module.</summary>
sealed class AttributeTypes : ICustomAttributeTypeProvider<string>
{
    readonly MetadataReader reader;
    readonly Types types;

    public AttributeTypes(MetadataReader reader, Types types) { this.reader = reader; this.types = types; }

    public string GetPrimitiveType(PrimitiveTypeCode typeCode) => types.GetPrimitiveType(typeCode);
    public string GetSystemType() => "System.Type";
    public string GetSZArrayType(string element) => element + "[]";
    public string GetTypeFromDefinition(MetadataReader r, TypeDefinitionHandle h, byte kind) => types.Name(h);
    public string GetTypeFromReference(MetadataReader r, TypeReferenceHandle h, byte kind) => types.Name(h);
    public string GetTypeFromSerializedName(string name) => name;
    public bool IsSystemType(string type) => type == "System.Type";

    public PrimitiveTypeCode GetUnderlyingEnumType(string type)
    {
        foreach (var handle in reader.TypeDefinitions)
        {
            if (types.Name(handle) != type) continue;
            foreach (var fieldHandle in reader.GetTypeDefinition(handle).GetFields())
            {
                var field = reader.GetFieldDefinition(fieldHandle);
                if ((field.Attributes & System.Reflection.FieldAttributes.Static) != 0) continue;
                var blob = reader.GetBlobReader(field.Signature);
                blob.ReadByte();
                return (PrimitiveTypeCode)blob.ReadByte();
            }
        }
        return PrimitiveTypeCode.Int32;
    }
}
