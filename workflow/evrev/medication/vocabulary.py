"""The closed word lists behind the lexical key. All entries are casefolded; none comes from a patient record.

A word belongs here by what it *is* (a form, a route, a salt), never because one spelling came out wrong.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNITS = _words(
    "act actuation actuations appl application applications cap caps capsule capsules cc day days dl dose "
    "doses drop drops ea each g gm gms gram grams gtt gtts h hour hours hr hrs inch inches iu iunits kg l "
    "liter liters litre litres mcg mcgs meq meqs mg mgpe mgs microgram micrograms milligram milligrams "
    "million min mins minute minutes ml mls mmol mmole mmoles mol mosm mu ng oz patch patches puff puffs "
    "spray sprays supp tab tablet tablets tabs u ug unit units week weeks x μg"
)
"""What may follow a number. Longest spellings are tried first where they become one pattern."""

_FORMS = _words(
    "adhesive aepb aero aerosol aers amp amps ampul ampule ampules applicator bag bags blist blister "
    "bottle box btl cap cap-del-rel cap-tab caplet caplets caps capsr capsule capsules cart cartridge "
    "cartridges chew chewable chewables chewtab cont container cp12 cp24 cpcr cpdr cplt cpsr cptr crea "
    "cream crtrdg-ndl cup cups dil diluted dilution disintegrating disp dispersible drops drp elix elixir "
    "emul emulsion enem enema foam form gel gran granule granules gum implant infusion inhalation inhaler "
    "inhl inj inject injectable injection injections kit liq liqd liquid lotion lotn loz lozenge lozenges "
    "mini-bag minibag neb nebs nebu nebule nebules nebulization nebulizer oint ointment pack package "
    "packet packets paste pastille patch patches pen pgbk piggy piggyback pill pills pint plas plastic "
    "powd powder powders prefill prefilled premix premixed preserv preservative pt12 pt24 pt72 ptch ptmd "
    "pwd pwdpkt pwdr pwpk recon reconstituted respule respules rins rinse sachet shampoo sol soln solns "
    "solp solr solution solutions spray sprinkle stick subl supp suppos suppositories suppository susp "
    "suspension susr swab syr syrg syringe syringes syrp syrup tab tab-cont-rel tab-disperse tablet "
    "tablets tabs tb12 tb24 tbcr tbdp tbec tbef tbpk tbso tearjet troc troche tube udpwd vial vials wafer"
)
_ROUTES = _words(
    "bq bucc buccal central enteral epid epidural ex external ij im in inh inhale inhaled intramuscular "
    "intranasal intrathecal intravenous intravenously iv ivf ivp ivpb line mm mouth mt mucous nas nasal "
    "nasogastric nebulized ng ngt op oph ophth ophthalmic oral orally ot otic percutaneous "
    "peripheral po pr re rect rectal rectally sc sl sq sub-cu sub-lingual sub-q subcu subcut subcutaneous "
    "subcutaneously subl sublingual subq td throat top topical topically transdermal vag vaginal via"
)
_RELEASE = _words(
    "acting cd coat coated controlled cr crys cryst delayed dr dry ec ent enteric er ext extended film "
    "hfa immediate ir la long odt part partial rapid rel release sa short sr sustained tr xl xr"
)
_DEVICES = _words(
    "abboject accuhaler add-vantage advantage ansyr autoinjector carpuject diskus flexhaler "
    "flexpen flextouch handihaler kwikpen lifeshield penfill respimat rotahaler solostar tubex turbuhaler "
    "twisthaler"
)
_HANDLING = _words(
    "adult adults adv antacid antacids assess baby bacteriostatic base bolus boluses bovine buffered "
    "child children childrens comb conc concentrate concentrated concentration continuous correction "
    "correctional corrective custom dilute dosage dose doses dosing drip ds ea each excel extemp fc final "
    "flex flush for free from glass half home human infant infants junior kg laxative loading lock locked "
    "lok lvp maintenance mbp mcg mdv med medication medications meds meq mg ml mpf multidose ndc order "
    "orderable orders own patient patients pb pca ped pediatric pf pharmacy physician placeholder pmx "
    "porcine pork preservative-free prmx protocol purified pyxis range rdna ready recombinant regimen "
    "repackage rt rtu rtu-pb scale sdv self single sliding sso standard std sterile stock strength "
    "sugar-free titrate titrated titration to ud unit unit-dose units use variable"
)
_TIMES = _words(
    "after am as at bedtime before bid breakfast by daily dinner evening every five four hourly hours hs "
    "meal meals monthly morning needed nightly now once one per prn qac qam qd qday qhs qid qod "
    "qpm scheduled stat then three tid time times twice two weekly"
)
NOISE = _FORMS | _ROUTES | _RELEASE | _DEVICES | _HANDLING | _TIMES
"""Words that say how a drug is supplied or given, never which drug it is."""

METALS = _words(
    "aluminum ammonium barium bismuth calcium copper ferric ferrous iron magnesium potassium selenium "
    "silver sodium zinc"
)
"""A name that starts with one of these is itself the salt that is given, and keeps its anion."""

ANIONS = _words(
    "acetate acetonide anhydrous axetil benzoate besilate besylate bisulfate bitartrate bromide butyrate "
    "carbonate chloride cilexetil citrate cypionate decanoate diacetate dihydrate dihydrochloride "
    "dimeglumine dinatrium dipropionate disodium edisylate enanthate erbumine estolate esylate "
    "ethylsuccinate fumarate furoate gluceptate gluconate hbr hcl hemihydrate hyclate hydrobromide "
    "hydrochloride hydroiodide iodide isethionate lactate lactobionate malate maleate medoxomil meglumine "
    "mesylate methylbromide methylsulfate monohydrate monosodium mucate napsylate nitrate oxalate "
    "palmitate pamoate phosphate pivalate polacrilex propionate proxetil pyrophosphate so stearate suc "
    "succ succinate sulfate tartrate tebutate tosylate trihydrate trisodium tromethamine valerate "
    "xinafoate"
)
SALTS = (ANIONS | METALS | {"pot"}) - {"iron", "barium", "bismuth", "selenium", "silver", "ferrous", "ferric"}
"""Words that go when an ingredient remains beside them."""

HYDRATES = _words("anhydrous di dibasic dihydrate dried heptahydrate hexahydrate mono monobasic monohydrate")
"""What goes even from a name that is a salt."""

ABBREVIATIONS = {
    "acetamin": "acetaminophen", "alum": "aluminum", "aluminium": "aluminum", "apap": "acetaminophen",
    "bicarb": "bicarbonate", "carb": "carbonate", "chl": "chloride", "cl": "chloride", "dext": "dextrose",
    "dex": "dextrose", "hydrox": "hydroxide", "kcl": "potassium chloride", "lr": "lactated ringers",
    "mag": "magnesium", "na": "sodium", "nacl": "sodium chloride", "ns": "sodium chloride",
    "nss": "sodium chloride", "phos": "phosphate", "phosphates": "phosphate",
    "ringer": "ringers",
    "simeth": "simethicone", "sod": "sodium", "sulf": "sulfate", "sulphate": "sulfate", "sw": "water",
    "swfi": "water", "swi": "water", "vit": "vitamin",
}  # fmt: skip

BARE_CARRIERS = _words("d10w d5 d5ns d5w lr nacl ns nss sw swfi swi")
"""Diluents written after the drug without `in`."""

CARRIERS = frozenset(
    {
        "d10w", "d5", "d5lr", "d5ns", "d5w", "dextrose", "lactated ringers", "normal saline", "ringers",
        "saline", "sodium chloride", "water",
    }
)  # fmt: skip
FLUID_HEADS = _words("d10w d5 d50w d5lr d5ns d5w dextrose lactated normal ringers saline sodium")
"""First words of a name that is itself a diluent: what follows it is part of the mixture."""

SINGLE_HYPHENATED = _words(
    "alka-seltzer alpha-tocopherol anti-thymocyte beta-carotene "
    "chlor-trimeton depo-medrol depo-provera depo-testosterone duo-neb hep-lock insta-glucose "
    "klor-con lacri-lube mag-tab multi-vitamin neo-synephrine nephro-vite neutra-phos "
    "nitro-bid nitro-dur non-formulary ortho-novum pepto-bismol peri-colace phos-nak plasma-lyte "
    "pnu-immune pro-stat rena-vite slow-fe slow-mag solu-cortef solu-medrol "
    "theo-24 theo-dur transderm-nitro transderm-scop tri-sprintec uro-mag urso-forte "
)
"""Brand and substance names whose hyphen joins no two ingredients."""
