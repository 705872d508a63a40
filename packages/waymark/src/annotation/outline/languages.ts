import type { Layout } from '../code-text.ts'
import { lookUp } from '../../support/look-up.ts'

/** Where a node keeps its name, if not in its field `name`. */
export type NameSource =
  | 'declarator'
  | 'implemented_type'
  | 'receiver'
  | 'assigned'
  | 'first_child'
  | 'pattern'
  | 'target'
  | { readonly field: string }
  | { readonly fixed: string }

/** A kind of node that is a unit of the outline. */
export interface Rule {
  readonly type: string
  readonly name?: NameSource
  /** A unit only if it stands in the file or a type, not in the body of a function. */
  readonly outerOnly?: true
  /** A unit only if its value is a function, a class or an object; it then counts as that. */
  readonly byValue?: true
  /** A declaration without a body: left out if the same name is also defined. */
  readonly declares?: true
  /** Without a body it is only mentioned: `struct client *c`. */
  readonly needsBody?: true
  /** Where it says what it is: in a field of the node, or among the words in front of its body. */
  readonly typeFrom?: { readonly field: string } | 'head'
}

export interface Language {
  readonly grammar: string
  readonly separator: '.' | '::'
  readonly layout: Layout
  readonly rules: Readonly<Record<string, Rule>>
  /** Nodes around a unit that belong to it: `export`, `template <…>`, decorators. */
  readonly wrappers: ReadonlySet<string>
  /** Nodes in front of a unit that belong to it. */
  readonly prefixes: ReadonlySet<string>
  /** What the body of a unit is called, in a grammar that has no field for it. */
  readonly bodies: ReadonlySet<string>
}

const FUNCTION: Rule = { type: 'function' }
const CLASS: Rule = { type: 'class' }
const INTERFACE: Rule = { type: 'interface' }
const ENUM: Rule = { type: 'enum' }
const STRUCT: Rule = { type: 'struct' }
const ALIAS: Rule = { type: 'type_alias' }
const NAMESPACE: Rule = { type: 'namespace' }
const CONSTANT: Rule = { type: 'constant', outerOnly: true }
const CONSTRUCTOR: Rule = { type: 'constructor' }

function define(
  language: Pick<Language, 'grammar' | 'separator' | 'rules'> & {
    readonly layout?: Layout
    readonly wrappers?: Iterable<string>
    readonly prefixes?: Iterable<string>
    readonly bodies?: Iterable<string>
  },
): Language {
  return {
    ...language,
    layout: language.layout ?? 'free',
    wrappers: new Set(language.wrappers),
    prefixes: new Set(language.prefixes),
    bodies: new Set(language.bodies),
  }
}

const JAVASCRIPT = define({
  grammar: 'javascript',
  separator: '.',
  rules: {
    class_declaration: CLASS,
    function_declaration: FUNCTION,
    generator_function_declaration: FUNCTION,
    method_definition: FUNCTION,
    field_definition: { ...FUNCTION, byValue: true, name: { field: 'property' } },
    variable_declarator: { ...CONSTANT, byValue: true },
    pair: { ...FUNCTION, byValue: true, name: { field: 'key' } },
    assignment_expression: { ...FUNCTION, byValue: true, name: 'assigned' },
  },
  wrappers: [
    'export_statement',
    'lexical_declaration',
    'variable_declaration',
    'expression_statement',
  ],
  prefixes: ['decorator'],
})

const TYPESCRIPT = define({
  ...JAVASCRIPT,
  grammar: 'typescript',
  rules: {
    ...JAVASCRIPT.rules,
    abstract_class_declaration: CLASS,
    interface_declaration: INTERFACE,
    enum_declaration: ENUM,
    type_alias_declaration: ALIAS,
    internal_module: NAMESPACE,
    module: NAMESPACE,
    function_signature: { ...FUNCTION, declares: true },
    abstract_method_signature: FUNCTION,
    method_signature: { ...FUNCTION, declares: true },
    public_field_definition: { ...FUNCTION, byValue: true },
  },
  wrappers: [...JAVASCRIPT.wrappers, 'ambient_declaration'],
  prefixes: ['decorator'],
})

const C = define({
  grammar: 'c',
  separator: '::',
  rules: {
    function_definition: { ...FUNCTION, name: 'declarator' },
    declaration: { ...FUNCTION, name: 'declarator', declares: true },
    struct_specifier: { ...STRUCT, needsBody: true },
    union_specifier: { ...STRUCT, needsBody: true },
    enum_specifier: { ...ENUM, needsBody: true },
    type_definition: { ...ALIAS, name: 'declarator' },
    preproc_def: CONSTANT,
    preproc_function_def: { type: 'macro' },
  },
})

const CPP = define({
  ...C,
  grammar: 'cpp',
  rules: {
    ...C.rules,
    class_specifier: { ...CLASS, needsBody: true },
    namespace_definition: NAMESPACE,
    field_declaration: { ...FUNCTION, name: 'declarator', declares: true },
    alias_declaration: ALIAS,
    concept_definition: INTERFACE,
  },
  wrappers: ['template_declaration'],
})

const LANGUAGES = {
  javascript: JAVASCRIPT,
  typescript: TYPESCRIPT,
  tsx: { ...TYPESCRIPT, grammar: 'tsx' },
  python: define({
    grammar: 'python',
    separator: '.',
    layout: 'indented',
    rules: {
      class_definition: CLASS,
      function_definition: FUNCTION,
      assignment: { ...CONSTANT, name: 'target' },
    },
    wrappers: ['decorated_definition', 'expression_statement'],
  }),
  rust: define({
    grammar: 'rust',
    separator: '::',
    rules: {
      function_item: FUNCTION,
      function_signature_item: FUNCTION,
      struct_item: STRUCT,
      union_item: STRUCT,
      enum_item: ENUM,
      trait_item: INTERFACE,
      impl_item: { type: 'extension', name: 'implemented_type' },
      mod_item: { type: 'module' },
      const_item: CONSTANT,
      static_item: { type: 'static', outerOnly: true },
      type_item: ALIAS,
      macro_definition: { type: 'macro' },
    },
    prefixes: ['attribute_item'],
  }),
  go: define({
    grammar: 'go',
    separator: '.',
    rules: {
      function_declaration: FUNCTION,
      method_declaration: { type: 'method', name: 'receiver' },
      type_spec: { ...STRUCT, typeFrom: { field: 'type' } },
      type_alias: ALIAS,
      const_spec: CONSTANT,
      var_spec: { type: 'static', outerOnly: true },
    },
    wrappers: ['type_declaration', 'const_declaration', 'var_declaration'],
  }),
  java: define({
    grammar: 'java',
    separator: '.',
    rules: {
      class_declaration: CLASS,
      interface_declaration: INTERFACE,
      enum_declaration: ENUM,
      record_declaration: CLASS,
      annotation_type_declaration: INTERFACE,
      method_declaration: FUNCTION,
      constructor_declaration: CONSTRUCTOR,
      compact_constructor_declaration: CONSTRUCTOR,
    },
  }),
  c: C,
  cpp: CPP,
  csharp: define({
    grammar: 'csharp',
    separator: '.',
    rules: {
      namespace_declaration: NAMESPACE,
      class_declaration: CLASS,
      struct_declaration: STRUCT,
      interface_declaration: INTERFACE,
      enum_declaration: ENUM,
      record_declaration: CLASS,
      method_declaration: FUNCTION,
      local_function_statement: FUNCTION,
      constructor_declaration: CONSTRUCTOR,
      property_declaration: { type: 'property' },
      delegate_declaration: ALIAS,
    },
  }),
  ruby: define({
    grammar: 'ruby',
    separator: '::',
    rules: {
      module: { type: 'module' },
      class: CLASS,
      method: FUNCTION,
      singleton_method: FUNCTION,
      assignment: { ...CONSTANT, name: 'target' },
    },
  }),
  php: define({
    grammar: 'php',
    separator: '::',
    rules: {
      class_declaration: CLASS,
      interface_declaration: INTERFACE,
      trait_declaration: INTERFACE,
      enum_declaration: ENUM,
      function_definition: FUNCTION,
      method_declaration: FUNCTION,
      const_element: { ...CONSTANT, name: 'first_child' },
    },
    wrappers: ['const_declaration'],
  }),
  kotlin: define({
    grammar: 'kotlin',
    separator: '.',
    rules: {
      class_declaration: { ...CLASS, typeFrom: 'head' },
      object_declaration: CLASS,
      function_declaration: FUNCTION,
      secondary_constructor: { ...CONSTRUCTOR, name: { fixed: 'constructor' } },
      property_declaration: { ...CONSTANT, name: 'pattern' },
      type_alias: { ...ALIAS, name: { field: 'type' } },
    },
    bodies: ['class_body', 'enum_class_body', 'function_body'],
  }),
  swift: define({
    grammar: 'swift',
    separator: '.',
    rules: {
      class_declaration: { ...CLASS, typeFrom: { field: 'declaration_kind' } },
      protocol_declaration: INTERFACE,
      function_declaration: FUNCTION,
      protocol_function_declaration: FUNCTION,
      init_declaration: { ...CONSTRUCTOR, name: { fixed: 'init' } },
      deinit_declaration: { ...FUNCTION, name: { fixed: 'deinit' } },
      typealias_declaration: ALIAS,
      property_declaration: { ...CONSTANT, name: 'pattern' },
    },
  }),
} as const satisfies Record<string, Language>

const BY_ENDING: Readonly<Record<string, keyof typeof LANGUAGES>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  rs: 'rust',
  go: 'go',
  java: 'java',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  cs: 'csharp',
  rb: 'ruby',
  rake: 'ruby',
  php: 'php',
  kt: 'kotlin',
  kts: 'kotlin',
  swift: 'swift',
}

const CPP_HEADER = /^[ \t]*(?:class|namespace|template|using|public:|private:)\b/m

/** The language of a file by the ending of its name, or undefined if it is none that can be outlined. */
export function languageOf(path: string, text: string): Language | undefined {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  const name = lookUp(BY_ENDING, ending)
  if (name === undefined) return undefined
  return ending === 'h' && CPP_HEADER.test(text) ? LANGUAGES.cpp : LANGUAGES[name]
}
