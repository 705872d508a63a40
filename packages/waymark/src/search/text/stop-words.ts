/** Function words of questions and prose, and the pieces of contractions. Quotes make them count. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against ago ain all almost already also although always am among an and another any anybody
  anyhow anyone anything anyway anywhere are aren around as at away be became because become been before being below
  besides between both but by can cannot cant could couldn couldnt d did didn didnt do does doesn doesnt doing don done
  dont down during each either else enough especially etc even ever every everybody everyone everything exactly far few
  for from further get gets getting give given go goes going gone gonna got gotten had hadn has hasn hasnt have haven
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

/** Words that many questions contain whatever they are about. They count, but less than how rare they are. */
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
