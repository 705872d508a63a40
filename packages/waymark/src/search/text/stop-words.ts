/** Function words of questions and prose, and the pieces of contractions. Quotes make them count. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against ago ain all almost already also although always am among an and another any anybody
  anyhow anyone anything anyway anywhere are aren around as at away be became because become been before being below
  besides between both but by can cannot cant could couldn couldnt d did didn didnt do does doesn doesnt doing don done
  dont down during each either else enough especially etc even ever every everybody everyone everything exactly far few
  for from further get gets getting give go goes going gone gonna got gotten had hadn has hasn hasnt have haven
  having he hence her here hers herself him himself his how however i if in indeed instead into is isn isnt it its
  itself just know least less let lets like likely ll m made main make makes making many may maybe me mean might mine
  more moreover most mostly much must mustn my myself neither never nevertheless no nobody none nor not nothing now o of
  off often oh ok okay on once only onto or other others otherwise ought our ours ourselves out over own per perhaps
  please quite rather re really regarding s same say says shall shan she should shouldn shouldnt since so some somebody
  somehow someone something sometimes somewhere still such sure t than that thats the their theirs them themselves then
  there therefore theres these they thing things this those though through thus to together too toward towards under
  unless until up upon us ve very via want wanted wants was wasn wasnt we well were weren what whatever whats when
  whenever where wheres wherever whether which while who whoever whom whose why will with within without won wont would
  wouldn wouldnt y yes yet you your yours yourself yourselves`.split(/\s+/),
)

/** Words that many questions contain, on any subject. They count, but less than how rare they are. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `actually add added allow allowed anymore ask asked behave behaviour better big bit break broke broken call called
  came cause caused change changed choose chose chosen come comes correct current currently decide decided decision
  deal different difference end everywhere explain fail failed fails failing find first fix fixed found good guy handle
  handled happen happened happening happens help here idea instance issue keep keeps kind kinds last leave long look
  looking lot mention mentioned need needed needs new next old one ones part people person picked place possible
  problem put question reason recommend right rule rules run running runs safe safely said see seem seen set several
  show someday somewhat soon sort special specific start started stop stopped suddenly suggest supposed take taken tell
  tells think three time times told took tried try trying turn two type typically use used uses using usually way ways
  went work worked working works wrong`.split(/\s+/),
)

/** Function words of other languages. Some are words of English too, so they go only where a query has several. */
const OTHER_LANGUAGES: readonly ReadonlySet<string>[] = [
  `aber alle als also am an auch auf aus bei beim bin bis da damit dann das dass dein dem den denn der des die dies
  diese dieser dieses doch du durch ein eine einem einen einer eines er es etwas fur gegen haben hat hatte hier ich ihr
  im in ist ja jede jeder jedes kann kein keine konnen man mehr mein mich mir mit muss nach nicht noch nur ob oder ohne
  sehr sein seine sich sie sind so soll sollte uber um und uns unser unter vom von vor wann war warum was wegen weil
  welche welcher welches wenn wer werden wie wieder wieso wir wird wo worden wurde wurden zu zum zur zwischen`,
  `a alors au aucun aussi autre aux avec avoir c ce cela ces cet cette comme comment d dans de des donc du elle en
  encore entre est et etait ete etre eu fait faut ici il ils j je l la le les leur lors lui m ma mais mes meme moi mon n
  ne nos notre nous on ont ou par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans
  se ses si son sont sous sur t ta te tes tout tous toute tu un une vers vos votre vous y`,
  `a al algo como con cual cuando de del desde donde el ella ellos en entre era es esa ese eso esta este esto fue ha
  hace han hasta hay la las le lo los mas me mi muy no nos o para pero por porque que quien se ser si sin sobre son su
  sus tambien te tiene todo tu un una uno y ya`,
].map((words) => new Set(words.split(/\s+/)))

const FEWEST_FOREIGN = 2

/** The function words of the language that these words seem to be in. English ones count in every language. */
export function stopWordsOf(words: readonly string[]): ReadonlySet<string> {
  const foreign = OTHER_LANGUAGES.map((language) => ({
    language,
    count: words.filter((word) => language.has(word) && !STOP_WORDS.has(word)).length,
  })).toSorted((a, b) => b.count - a.count)[0]
  if (foreign === undefined || foreign.count < FEWEST_FOREIGN) return STOP_WORDS
  return new Set([...STOP_WORDS, ...foreign.language])
}
