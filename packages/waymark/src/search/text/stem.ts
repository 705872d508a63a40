/** Porter2, the Snowball stemmer for English: https://snowballstem.org/algorithms/english/stemmer.html */

const SHORTEST = 3
/** Stems already computed; emptied when full, so that a hostile vocabulary cannot grow it. */
const MOST_REMEMBERED = 50_000
const remembered = new Map<string, string>()

/** The stem that the forms of an English word share. Words of other scripts and with digits stay as they are. */
export function stemOf(term: string): string {
  const known = remembered.get(term)
  if (known !== undefined) return known
  if (term.length < SHORTEST || !/^[a-z']+$/.test(term)) return term
  const stem = EXCEPTIONS.get(term) ?? toStem(IRREGULAR.get(term) ?? term)
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(term, stem)
  return stem
}

/** Whether the stem of a word may begin with this letter: all but irregular forms begin like their stems. */
export function mayStemTo(letters: ReadonlySet<number>, term: string): boolean {
  return letters.has(term.charCodeAt(0)) || IRREGULAR.has(term)
}

const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  `skis:ski skies:sky idly:idl gently:gentl ugly:ugli early:earli only:onli singly:singl sky:sky news:news howe:howe
  atlas:atlas cosmos:cosmos bias:bias andes:andes`
    .split(/\s+/)
    .map(toPair),
)

/** Forms that no rule leads back to their word; Porter2 itself leaves them alone. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `dying:die lying:lie tying:tie ate:eat eaten:eat began:begin begun:begin bit:bite bitten:bite blew:blow blown:blow
  bought:buy broke:break broken:break brought:bring built:build came:come caught:catch children:child chose:choose
  chosen:choose dealt:deal drank:drink drawn:draw drew:draw driven:drive drove:drive drunk:drink fallen:fall fed:feed
  feet:foot fell:fall felt:feel flew:fly flown:fly forgot:forget forgotten:forget fought:fight found:find froze:freeze
  frozen:freeze gave:give given:give gone:go grew:grow grown:grow heard:hear held:hold hid:hide hidden:hide hung:hang
  indices:index kept:keep knew:know known:know laid:lay led:lead lent:lend lost:lose matrices:matrix meant:mean men:man
  met:meet mice:mouse overwritten:overwrite paid:pay ran:run rang:ring rewritten:rewrite ridden:ride risen:rise
  rode:ride rose:rise said:say sang:sing sat:sit saw:see seen:see sent:send shaken:shake shook:shake shot:shoot
  shown:show slept:sleep slid:slide sold:sell spent:spend spoke:speak spoken:speak stole:steal stolen:steal stood:stand
  struck:strike sung:sing swam:swim swept:sweep taken:take taught:teach teeth:tooth thought:think threw:throw
  thrown:throw told:tell took:take tore:tear torn:tear understood:understand vertices:vertex went:go withdrew:withdraw
  woke:wake woken:wake women:woman won:win wore:wear worn:wear written:write wrote:write`
    .split(/\s+/)
    .map(toPair),
)

function toPair(pair: string): [string, string] {
  const [word = '', other = ''] = pair.split(':')
  return [word, other]
}

const UNCHANGED_AFTER_PLURAL: ReadonlySet<string> = new Set(
  'inning outing canning herring earring proceed exceed succeed'.split(' '),
)

function toStem(term: string): string {
  // A consonant y is written Y until the end.
  let word = term.replace(/^'/, '').replace(/^y|(?<=[aeiouy])y/g, 'Y')
  const special = /^(?:gener|commun|arsen)/.exec(word)?.[0].length
  const r1 = special ?? regionAfter(word, 0)
  const r2 = regionAfter(word, r1)
  word = dropPlural(word)
  if (UNCHANGED_AFTER_PLURAL.has(word)) return word
  word = dropPast(word, r1)
  word = word.replace(/(?<=.[^aeiouy])[yY]$/, 'i')
  word = replaceEnding(word, r1, LONG_ENDINGS)
  word = replaceDerivation(word, r1, r2)
  word = dropSuffix(word, r2)
  word = dropFinal(word, r1, r2)
  return word.toLowerCase()
}

/** Where the part behind the first consonant that follows a vowel begins. */
function regionAfter(word: string, from: number): number {
  const at = /[aeiouy][^aeiouy]/.exec(word.slice(from))
  return at === null ? word.length : from + at.index + 2
}

function dropPlural(word: string): string {
  const plain = word.replace(/'(?:s'?)?$/, '')
  if (plain.endsWith('sses')) return plain.slice(0, -2)
  if (/ie[sd]$/.test(plain)) return plain.slice(0, plain.length > 4 ? -2 : -1)
  if (/(?:us|ss)$/.test(plain)) return plain
  return plain.endsWith('s') && /[aeiouy]/.test(plain.slice(0, -2)) ? plain.slice(0, -1) : plain
}

function dropPast(word: string, r1: number): string {
  const ending = /(?:eedly|ingly|edly|eed|ing|ed)$/.exec(word)?.[0]
  if (ending === undefined) return word
  const root = word.slice(0, -ending.length)
  if (ending.startsWith('eed')) return root.length >= r1 ? `${root}ee` : word
  if (!/[aeiouy]/.test(root)) return word
  if (/(?:at|bl|iz)$/.test(root)) return `${root}e`
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(root)) return root.slice(0, -1)
  return isShort(root, r1) ? `${root}e` : root
}

function isShort(word: string, r1: number): boolean {
  return r1 >= word.length && endsInShortSyllable(word)
}

function endsInShortSyllable(word: string): boolean {
  return /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/.test(word)
}

const LONG_ENDINGS: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
]

function replaceEnding(
  word: string,
  region: number,
  endings: readonly (readonly [string, string])[],
): string {
  const found = endings.find(([ending]) => word.endsWith(ending))
  if (found !== undefined) {
    const [ending, to] = found
    const at = word.length - ending.length
    return at >= region ? word.slice(0, at) + to : word
  }
  if (word.endsWith('logi') && word.length - 3 >= region) return word.slice(0, -1)
  return /[cdeghkmnrt]li$/.test(word) && word.length - 2 >= region ? word.slice(0, -2) : word
}

const DERIVATIONS: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

function replaceDerivation(word: string, r1: number, r2: number): string {
  if (word.endsWith('ative')) return word.length - 5 >= r2 ? word.slice(0, -5) : word
  const [ending, to] = DERIVATIONS.find(([each]) => word.endsWith(each)) ?? ['', '']
  const at = word.length - ending.length
  return ending !== '' && at >= r1 ? word.slice(0, at) + to : word
}

const SUFFIX =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|(?<=[st])ion)$/

function dropSuffix(word: string, r2: number): string {
  const at = SUFFIX.exec(word)?.index
  return at !== undefined && at >= r2 ? word.slice(0, at) : word
}

function dropFinal(word: string, r1: number, r2: number): string {
  const root = word.slice(0, -1)
  if (word.endsWith('e')) {
    const isDropped = root.length >= r2 || (root.length >= r1 && !endsInShortSyllable(root))
    return isDropped ? root : word
  }
  return word.endsWith('ll') && root.length >= r2 ? root : word
}
