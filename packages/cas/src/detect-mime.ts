/** How much of a content `detectMime` looks at. */
export const HEAD_BYTES = 4096

interface Signature {
  readonly mime: string
  /** Byte offset → what is there, as Latin-1 text. */
  readonly at: Readonly<Record<number, string>>
}

/** Formats that say what they are in fixed places. The first that fits wins. */
const SIGNATURES: readonly Signature[] = [
  { mime: 'image/png', at: { 0: '\x89PNG\r\n\x1a\n' } },
  { mime: 'image/jpeg', at: { 0: '\xff\xd8\xff' } },
  { mime: 'image/gif', at: { 0: 'GIF87a' } },
  { mime: 'image/gif', at: { 0: 'GIF89a' } },
  { mime: 'image/webp', at: { 0: 'RIFF', 8: 'WEBP' } },
  { mime: 'image/avif', at: { 4: 'ftypavif' } },
  { mime: 'image/bmp', at: { 0: 'BM', 6: '\0\0\0\0' } },
  { mime: 'image/tiff', at: { 0: 'II*\0' } },
  { mime: 'image/tiff', at: { 0: 'MM\0*' } },
  { mime: 'image/x-icon', at: { 0: '\0\0\x01\0' } },
  { mime: 'audio/wav', at: { 0: 'RIFF', 8: 'WAVE' } },
  { mime: 'audio/midi', at: { 0: 'MThd\0\0\0\x06' } },
  { mime: 'audio/flac', at: { 0: 'fLaC' } },
  { mime: 'audio/mpeg', at: { 0: 'ID3' } },
  { mime: 'audio/mpeg', at: { 0: '\xff\xfb' } },
  { mime: 'audio/ogg', at: { 0: 'OggS', 28: '\x01vorbis' } },
  { mime: 'audio/ogg', at: { 0: 'OggS', 28: 'OpusHead' } },
  { mime: 'application/ogg', at: { 0: 'OggS' } },
  { mime: 'audio/x-soundfont', at: { 0: 'RIFF', 8: 'sfbk' } },
  { mime: 'audio/mp4', at: { 4: 'ftypM4A ' } },
  { mime: 'video/mp4', at: { 4: 'ftyp' } },
  { mime: 'video/webm', at: { 0: '\x1aE\xdf\xa3' } },
  { mime: 'application/pdf', at: { 0: '%PDF-' } },
  { mime: 'application/zip', at: { 0: 'PK\x03\x04' } },
  { mime: 'application/zip', at: { 0: 'PK\x05\x06' } },
  { mime: 'application/gzip', at: { 0: '\x1f\x8b\x08' } },
  { mime: 'application/zstd', at: { 0: '\x28\xb5\x2f\xfd' } },
  { mime: 'application/x-xz', at: { 0: '\xfd7zXZ\0' } },
  { mime: 'application/x-bzip2', at: { 0: 'BZh', 4: '1AY&SY' } },
  { mime: 'application/x-7z-compressed', at: { 0: '7z\xbc\xaf\x27\x1c' } },
  { mime: 'application/x-tar', at: { 257: 'ustar' } },
  { mime: 'application/vnd.sqlite3', at: { 0: 'SQLite format 3\0' } },
  { mime: 'application/wasm', at: { 0: '\0asm' } },
  { mime: 'application/x-elf', at: { 0: '\x7fELF' } },
  { mime: 'font/woff2', at: { 0: 'wOF2' } },
]

/** Texts by how they begin, after white space. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^<(!doctype html|html|head|body|script|iframe)[\s>]/i, 'text/html'],
  [/^(<\?xml[^>]*>\s*)?(<!doctype svg[^>]*>\s*)?<svg[\s>]/i, 'image/svg+xml'],
  [/^<\?xml\s/i, 'application/xml'],
  [/^\{\s*("|\}\s*$)/, 'application/json'],
  [/^\[\s*(["[{\d-]|true\b|false\b|null\b|\]\s*$)/, 'application/json'],
]

/** Endings that make the type of a text more exact. They never turn a text into anything but a text. */
const TEXT_ENDINGS: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  htm: 'text/html',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  patch: 'text/x-diff',
  diff: 'text/x-diff',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
}

/**
 * The type of a content by its first bytes. A name can only make the type of a text more exact, so nothing pretends to
 * be an image. Fixed comparisons, no parsing: hostile bytes cost what others cost.
 */
export function detectMime(content: Uint8Array, name = ''): string {
  const head = content.subarray(0, HEAD_BYTES)
  const latin1 = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  for (const { mime, at } of SIGNATURES) {
    if (Object.entries(at).every(([offset, bytes]) => latin1.startsWith(bytes, Number(offset)))) {
      return mime
    }
  }
  const text = toText(head, content.length >= HEAD_BYTES)
  return text === undefined ? 'application/octet-stream' : textMime(text, name)
}

function textMime(text: string, name: string): string {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(TEXT_ENDINGS, ending)) return TEXT_ENDINGS[ending] ?? 'text/plain'
  const beginning = text.trimStart()
  return TEXTS.find(([pattern]) => pattern.test(beginning))?.[1] ?? 'text/plain'
}

/** The head as text, unless it is not UTF-8 or has characters that no log or document has. */
function toText(head: Uint8Array, isCut: boolean): string | undefined {
  try {
    // With `stream` a character that is cut off at the end is no error.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: isCut })
    // Terminal colours (escape) and form feeds are found in logs.
    // oxlint-disable-next-line no-control-regex
    return /[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
