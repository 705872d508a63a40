const RUN = 'window.pwned=1'
const AWAY = 'http://127.0.0.1:9/leak'

/** Elements that run something by themselves, and the attributes by which they do. */
const ELEMENTS = [
  'img src=x',
  'svg',
  'video src=x',
  'details open',
  'input autofocus',
  'body',
] as const
const HANDLERS = [
  'onerror',
  'onload',
  'ontoggle',
  'onfocus',
  'onanimationstart',
  'onpointerenter',
] as const
/** What ends the place that a text may stand in. */
const WAYS_OUT = [
  '',
  '">',
  "'>",
  '</textarea>',
  '</title>',
  '-->',
  ']]>',
  '`',
  '</script>',
  '</style>',
] as const
const ADDRESSES = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  ` javascript:${RUN}`,
  `java\tscript:${RUN}`,
  `&#106;avascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:${RUN}`,
  AWAY,
  `//127.0.0.1:9/leak`,
  'file:///etc/passwd',
  'cas:../../../../etc/passwd',
  'blob:http://127.0.0.1:9/leak',
] as const
const PLACES = [
  (to: string) => `[click](${to})`,
  (to: string) => `![x](${to})`,
  (to: string) => `<a href="${to}">x</a>`,
  (to: string) => `<iframe src="${to}"></iframe>`,
  (to: string) => `<link rel=stylesheet href="${to}">`,
  (to: string) => `<form action="${to}"><button>go</button></form>`,
  (to: string) => `<${to}>`,
  (to: string) => `[x]: ${to}\n\n[x]`,
] as const

const OTHERS = [
  `<script>${RUN}</script>`,
  `<script src="${AWAY}.js"></script>`,
  "'+alert(1)+'",
  '<style>*{display:none}</style>',
  `<base href="${AWAY}">`,
  `<meta http-equiv=refresh content="0;url=${AWAY}">`,
  `<math><mtext></table><mglyph><style><img src=x onerror=${RUN}>`,
  `{{constructor.constructor("${RUN}")()}}`,
  `\${${RUN}}`,
  '\u202Egnp.exe\u202C \u0000\u0007 \uFEFF',
  'x'.repeat(300),
  'ａ'.repeat(60),
  '\u0301'.repeat(200),
  '🏳️‍🌈'.repeat(40),
  '</div></section></main>',
  `<template shadowrootmode=open><img src=x onerror=${RUN}></template>`,
  `<object data="${AWAY}"></object>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<input type=image src="${AWAY}" onerror=${RUN}>`,
  '__proto__',
  'constructor',
  '\n\n\n# heading\n---\n',
  `\`\`\`html\n<img src=x onerror=${RUN}>\n\`\`\``,
  `| a | b |\n|---|---|\n| <img src=x onerror=${RUN}> | b |`,
  '#1 #2 #999999 @ada',
  'https://127.0.0.1:9/leak',
  '-'.repeat(120),
  '%00%0d%0aSet-Cookie: a=b',
] as const

/** Texts that would run, load or break something if they became HTML, an address or a style. */
export const HOSTILE: readonly string[] = [
  ...OTHERS,
  ...ELEMENTS.flatMap((element, at) =>
    WAYS_OUT.map((out, on) => `${out}<${element} ${HANDLERS[(at + on) % HANDLERS.length]}=${RUN}>`),
  ),
  ...ADDRESSES.flatMap((to) => PLACES.map((place) => place(to))),
  ...ELEMENTS.flatMap((element) => HANDLERS.map((handler) => `<${element}/${handler}="${RUN}"`)),
].slice(0, 200)
