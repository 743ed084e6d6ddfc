"""Words of the stories: names, things by scene, verbs by what they do, places, containers.

Everything here is data; plurals and verb forms are made by ``grammar``.

>>> len(GIRLS) + len(BOYS) >= 300
True
"""

from __future__ import annotations


def _list(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.replace("\n", " ").split(";") if item.strip())


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GIRLS = _words(
    """Abigail Ada Adriana Aisha Alana Alice Alicia Alma Amanda Amara Amber Amelia Amina Amy Ana Anaya Andrea
    Angela Anika Anna Annie Aria Ariana Ashley Astrid Aubrey Audrey Aurora Ava Bella Beth Bianca Bonnie Brenda
    Bridget Brooke Camila Carla Carmen Caroline Cecilia Celia Charlotte Chloe Christina Claire Clara Cora Daisy
    Dana Daniela Daphne Deborah Delia Diana Dina Eden Eleanor Elena Elisa Eliza Ella Ellen Emilia Emily Emma Erica
    Erin Esther Eva Evelyn Faith Farah Fatima Fiona Flora Frances Freya Gabriela Gemma Georgia Gina Gloria Grace
    Greta Hailey Hana Hannah Harper Hazel Heidi Helen Holly Ida Imani Inez Ingrid Irene Iris Isabel Isla Ivy
    Jada Jamila Jane Janet Jasmine Jenna Jenny Jessica Jill Joan Josephine Joy Joyce Judith Julia Juliana June
    Kara Karen Katie Kayla Keiko Kelly Kiara Kira Kristen Lara Laura Lauren Layla Leah Leila Lena Leslie Lila
    Lily Linda Lisa Lola Lucia Lucy Luna Lydia Mabel Maddie Maisie Malia Mara Margaret Maria Marta Martha Maya
    Megan Mei Melissa Mia Mila Miriam Molly Monica Nadia Nancy Naomi Natalie Nina Noelle Nora Olga Olive Olivia
    Paige Pamela Paula Penny Petra Phoebe Piper Priya Quinn Rachel Rebecca Rosa Rosie Ruby Ruth Sabrina Sadie
    Sally Samira Sandra Sara Selena Serena Sharon Shreya Sienna Simone Sofia Sonia Stella Sue Susan Sylvia
    Tamara Tanya Tara Tess Thea Tina Uma Ursula Valerie Vanessa Vera Victoria Violet Viola Wanda Wendy Willa
    Xenia Yara Yasmin Yolanda Yuki Zara Zoe Zuri"""
)

BOYS = _words(
    """Aaron Adam Adrian Ahmed Aidan Alan Albert Alex Ali Alvin Amir Andre Andrew Andy Angel Anthony Antonio Arjun
    Arthur Asher Austin Barry Ben Bernard Bilal Blake Bobby Brad Brandon Brian Bruce Bryan Byron Caleb Calvin
    Cameron Carlos Carter Cedric Cesar Chad Charlie Chen Chris Clark Cliff Cody Colin Connor Curtis Cyrus Dale
    Damian Dan Daniel Darius Darren David Dean Dennis Derek Devin Diego Dominic Don Duncan Dylan Earl Eddie Edgar
    Edwin Eli Elijah Elliot Emmett Enzo Eric Ernie Ethan Evan Ezra Felix Fernando Finn Frank Fred Gabriel Gary
    Gavin George Gerald Gilbert Glen Gordon Graham Grant Greg Guillermo Gus Hakeem Hamza Harold Harry Hassan Hector
    Henry Howard Hugo Ian Ibrahim Isaac Ivan Jack Jackson Jacob Jaden Jake Jalen Jamal James Jared Jason Javier
    Jay Jeff Jeremy Jerome Jerry Jesse Jim Joe Joel John Jonah Jordan Jorge Jose Joseph Joshua Josiah Juan
    Julian Justin Kai Karl Kareem Keith Ken Kenji Kevin Kofi Kumar Kurt Kyle Lamar Larry Lars Lawrence Lee Leo
    Leon Leonard Levi Liam Lionel Logan Louis Lucas Luis Luke Malcolm Malik Manuel Marcus Mario Mark Martin
    Mason Mateo Matt Maurice Max Michael Miguel Mike Miles Milo Mitchell Mohammed Nate Nathan Neil Nicholas Nick
    Noah Norman Oliver Omar Oscar Otto Owen Pablo Patrick Paul Pedro Percy Perry Pete Peter Phil Philip Preston
    Rafael Raj Ralph Ramon Randy Raul Ravi Ray Reggie Rex Ricardo Richard Rick Rob Robert Robin Rodney Roger
    Roland Roman Ron Ross Roy Rudy Russell Ryan Sam Samuel Santiago Scott Sean Sergio Seth Shawn Sidney Simon
    Spencer Stan Stefan Stephen Steve Stuart Tariq Ted Terrence Terry Theo Thomas Tim Toby Todd Tom Tommy Tony
    Travis Trevor Tyler Victor Vijay Vincent Wade Walter Warren Wayne Wesley Will Wyatt Xavier Yusuf Zach Zane"""
)

SURNAMES = _words(
    """Adams Allen Alvarez Anderson Baker Banks Barnes Bell Bennett Boyd Brooks Brown Burns Carter Chang Chavez
    Clarke Cole Collins Cook Cooper Cruz Davis Diaz Dixon Ellis Evans Fisher Flores Ford Foster Garcia Gibson
    Gomez Graham Gray Green Griffin Hall Hamilton Harris Hayes Henderson Hill Howard Hughes Hunter Jenkins
    Johnson Jones Jordan Kelly Kennedy Khan Kim King Lee Lewis Lopez Marshall Mason Miller Mitchell Moore
    Morales Morgan Morris Murphy Nelson Nguyen Novak Okafor Ortiz Owens Park Parker Patel Perez Perry Peterson
    Phillips Porter Powell Price Quinn Ramirez Reed Reyes Reynolds Rice Rivera Roberts Rogers Romero Rossi Russell
    Sanders Schmidt Scott Shaw Silva Simmons Singh Smith Stone Sullivan Tanaka Taylor Thompson Torres Tran Turner
    Walker Wallace Ward Watson West White Williams Wilson Wong Wood Wright Yang Young"""
)

#: People told by what they are: the pronoun, then the noun with its article.
ROLES = _list(
    """a farmer; a baker; a florist; a teacher; a librarian; a coach; a shopkeeper; a gardener; a carpenter; a chef;
    an artist; a collector; a beekeeper; a fisherman; a tailor; a waiter; a nurse; a scout leader; a park ranger;
    a zookeeper; a mechanic; a painter; a toy maker; a potter; a jeweler; a grocer; a butcher; a mail carrier"""
)

#: Families of words for somebody who gives or takes.
KIN_F = _list(
    "mom; mother; sister; aunt; grandmother; grandma; older sister; little sister; cousin Ana; neighbor Mrs. Hill"
)
KIN_M = _list("dad; father; brother; uncle; grandfather; grandpa; older brother; little brother; cousin Leo")
KIN_N = _list("best friend; cousin; neighbor; teacher; classmate; coach; teammate; friend; partner")

COLORS = _words("red blue green yellow purple orange white black pink brown gray gold silver")
SIZES = _words("small large big little tiny long short")

WEEKDAYS = _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS = _words("January February March April May June July August September October November December")
SUBJECTS = _words("math reading science history spelling art music geography")

TOWNS = _list(
    """Oakville; Riverton; Maple Grove; Lakeside; Springfield; Hilltop; Greendale; Fairview; Brookside; Cedar Falls;
    Pine Hill; Westfield; Elmwood; Harbor City; Stony Creek; Meadowbrook; Rockport; Sunnyvale; Willow Bend; Eastport"""
)

# A scene is a little stage: which things are there, who gains and loses them and how, in what they are kept,
# where they lie. One line a field; see ``world.Scene``.
#   things      singular nouns
#   kinds       adjectives that split the things into sorts
#   gain        verbs that bring things to the actor          "pick", "get from the store"
#   lose        verbs that use things up                      "eat", "throw away"
#   give        verbs that hand them to somebody               "give", "sell"
#   go          what the things themselves do when they go     "rot", "fly away"
#   come        what the things themselves do when they come   "ripen", "fly in"
#   make        verbs whose doing counts things (totals)       "pick"
#   box         containers
#   spot        places with their preposition
#   size        least and most of one amount
#   price       least and most price of one, in cents
SCENES: dict[str, dict[str, str]] = {
    "fruit": {
        "things": "apple; pear; peach; plum; orange; lemon; lime; banana; mango; apricot; strawberry; cherry; grape; "
        "blueberry; raspberry; blackberry; fig; kiwi; melon; watermelon; cantaloupe; grapefruit; nectarine; "
        "tangerine; papaya; pomegranate; coconut; pineapple; avocado; walnut; chestnut; peanut; almond",
        "kinds": "red; green; yellow; ripe; rotten; large; small; fresh; sweet",
        "gain": "pick; buy; gather; harvest; bring home; get; collect; purchase",
        "lose": "eat; use; throw away; drop; squash; juice; use up",
        "give": "give; hand; sell; bring; send; offer",
        "go": "rot; go bad; spoil; get squashed; get eaten by birds",
        "come": "ripen; fall from the tree",
        "make": "pick; gather; harvest; eat; buy; sell; wash",
        "box": "basket; bag; crate; box; bowl; bucket; carton; sack; tray",
        "spot": "in the basket; on the kitchen table; in the fruit bowl; on the tree; in the orchard; at the fruit stand; "
        "in the refrigerator; on the counter",
        "size": "3 120",
        "price": "20 250",
    },
    "vegetables": {
        "things": "carrot; potato; tomato; onion; cucumber; pepper; pumpkin; turnip; radish; cabbage; zucchini; beet; "
        "eggplant; squash; ear of corn; head of lettuce; sweet potato; bean; mushroom; artichoke; leek; yam",
        "kinds": "red; green; ripe; rotten; large; small; fresh; organic; muddy",
        "gain": "grow; pick; buy; dig up; harvest; pull up; get",
        "lose": "cook; eat; use; throw out; boil; throw away",
        "give": "give; sell; bring; hand; deliver",
        "go": "rot; go bad; spoil; get eaten by rabbits; wilt",
        "come": "sprout; come up; ripen",
        "make": "grow; pick; harvest; dig up; sell; plant",
        "box": "basket; crate; sack; bag; bin; box; wagon; row",
        "spot": "in the garden; in the cellar; in the wheelbarrow; at the farm stand; on the kitchen counter; in the pantry",
        "size": "3 150",
        "price": "20 200",
    },
    "baking": {
        "things": "cookie; cupcake; muffin; brownie; pie; cake; bagel; doughnut; roll; pancake; waffle; tart; pretzel; "
        "croissant; biscuit; scone; loaf of bread; pastry; sandwich; cinnamon roll; cracker; pizza; burrito; taco",
        "kinds": "chocolate; vanilla; plain; lemon; warm; frosted; blueberry; burnt; cinnamon; strawberry",
        "gain": "bake; make; buy; prepare; get; order",
        "lose": "eat; sell; burn; drop; use; serve; throw away",
        "give": "give; sell; bring; serve; take; offer; deliver",
        "go": "burn; get eaten; fall on the floor; go stale",
        "come": "come out of the oven",
        "make": "bake; make; eat; sell; serve; frost; decorate",
        "box": "tray; box; plate; tin; bag; pan; batch; package; container; basket",
        "spot": "on the tray; in the bakery; on the plate; on the cooling rack; in the cookie jar; on the table; "
        "at the bake sale; in the display case",
        "size": "3 96",
        "price": "50 450",
    },
    "sweets": {
        "things": "candy; lollipop; chocolate bar; gumdrop; jelly bean; caramel; mint; marshmallow; gumball; candy cane; "
        "piece of candy; piece of gum; piece of chocolate; toffee; truffle; licorice stick; fruit snack; popsicle; peppermint",
        "kinds": "red; green; sour; sweet; cherry; lemon; chocolate; orange; grape; wrapped",
        "gain": "buy; get; win; receive; collect; find; be given",
        "lose": "eat; share; give away; trade away; lose; chew; drop",
        "give": "give; hand; pass; sell; offer; throw",
        "go": "melt; get eaten; fall out of the bag; get sticky",
        "come": "arrive in the mail",
        "make": "buy; eat; collect; sell; count; wrap; hand out",
        "box": "bag; jar; box; packet; pack; tin; cup; goody bag; party bag; pouch",
        "spot": "in the jar; in the bag; in the bowl; at the candy store; in the machine; in the bucket; on the table",
        "size": "4 150",
        "price": "5 200",
    },
    "toys": {
        "things": "marble; toy car; block; doll; action figure; puzzle; ball; kite; yo-yo; robot; toy soldier; balloon; "
        "whistle; teddy bear; stuffed animal; board game; spinning top; toy truck; puppet; toy boat; dinosaur; "
        "slinky; jump rope; building brick; model train; toy airplane; bouncy ball; plastic animal; jack",
        "kinds": "red; blue; green; yellow; purple; orange; black; white; big; small; new; old; broken; shiny; wooden",
        "gain": "buy; get; win; find; receive; collect; earn; be given; unpack; pick up",
        "lose": "lose; break; give away; trade away; throw out; sell; donate; pop; misplace; drop",
        "give": "give; lend; hand; sell; pass; trade; mail; loan; donate",
        "go": "break; roll away; go missing; get stolen; get lost",
        "come": "turn up; arrive; be delivered",
        "make": "buy; find; win; collect; sell; paint; break",
        "box": "box; bag; jar; case; chest; bin; bucket; drawer; set; carton; tub; package",
        "spot": "in the toy box; on the shelf; under the bed; in the playroom; in the closet; at the toy store; on the floor; "
        "in the bag",
        "size": "3 150",
        "price": "25 1500",
    },
    "collection": {
        "things": "sticker; stamp; trading card; baseball card; football card; coin; postcard; seashell; rock; bottle cap; "
        "button; badge; fossil; crystal; feather; key chain; comic book; poster; magnet; pin; gem; arrowhead; shell; "
        "pressed leaf; bracelet charm; figurine; autograph; souvenir; foreign coin; patch; medal; ribbon; token",
        "kinds": "rare; old; new; shiny; foreign; gold; silver; blue; red; torn; common; damaged; colorful",
        "gain": "buy; find; collect; trade for; receive; get; win; earn; be given; add; pick up",
        "lose": "lose; trade away; sell; give away; donate; misplace; throw out",
        "give": "give; sell; trade; lend; send; hand; show; mail",
        "go": "get lost; go missing; fall out; get ruined; get wet",
        "come": "arrive in the mail; turn up",
        "make": "collect; find; buy; sell; sort; trade; clean",
        "box": "album; box; page; binder; case; drawer; bag; envelope; jar; shelf; folder; pack; display case; tin",
        "spot": "in the album; in the drawer; in the collection; on the shelf; in the box; on the beach; in the binder; in the jar",
        "size": "4 400",
        "price": "10 800",
    },
    "school": {
        "things": "pencil; pen; crayon; marker; eraser; notebook; ruler; folder; paper clip; glue stick; paintbrush; "
        "sheet of paper; index card; pair of scissors; backpack; calculator; highlighter; piece of chalk; binder; "
        "sticky note; workbook; globe; worksheet; pencil sharpener; colored pencil; roll of tape; thumbtack; stapler",
        "kinds": "red; blue; green; black; new; used; broken; sharpened; yellow; long; short; plastic",
        "gain": "buy; get; find; borrow; receive; order; collect; pick up; bring; be given",
        "lose": "use; lose; break; give away; use up; throw away; hand out; return; misplace; drop",
        "give": "give; lend; hand; pass; loan; donate; sell",
        "go": "break; dry out; go missing; get lost; be used up; roll off the desk",
        "come": "arrive; be delivered",
        "make": "buy; use; sharpen; count; order; sell; hand out; collect",
        "box": "box; pack; package; drawer; cup; case; bag; carton; bin; bundle; desk; set",
        "spot": "in the drawer; on the desk; in the classroom; in the pencil case; in the supply closet; on the teacher's desk; "
        "in the box; in the backpack",
        "size": "3 200",
        "price": "10 600",
    },
    "books": {
        "things": "book; magazine; comic; novel; storybook; picture book; cookbook; textbook; library book; newspaper; "
        "coloring book; dictionary; mystery book; poem; photo album; atlas; journal; brochure; songbook; diary",
        "kinds": "old; new; thick; thin; science; mystery; history; art; borrowed; unread; torn; used; adventure",
        "gain": "buy; borrow; check out; receive; get; order; be given; find; collect",
        "lose": "return; sell; give away; lose; donate; lend out; recycle; throw out",
        "give": "give; lend; sell; loan; mail; return; donate",
        "go": "be checked out; go missing; get damaged; be sold; get lost",
        "come": "be returned; arrive; be delivered",
        "make": "read; buy; sell; borrow; donate; collect; write; sort",
        "box": "shelf; box; bookcase; stack; bag; carton; crate; cart; pile; bin",
        "spot": "on the shelf; in the library; at the bookstore; in the bookcase; in the reading corner; on the cart; on the table",
        "size": "3 300",
        "price": "200 2500",
    },
    "flowers": {
        "things": "rose; tulip; daisy; lily; orchid; sunflower; carnation; daffodil; violet; flower; bulb; seed; seedling; "
        "tomato plant; rose bush; tree; oak tree; maple tree; shrub; fern; cactus; pansy; petunia; poppy; marigold; iris; "
        "apple tree; pine tree; herb; leaf; potted plant; bush",
        "kinds": "red; white; yellow; pink; purple; tall; short; wilted; orange; young; old; dead",
        "gain": "plant; buy; pick; grow; receive; gather; order; get; arrange",
        "lose": "cut down; give away; sell; use; dig up; throw out; pull out",
        "give": "give; sell; bring; send; deliver; hand",
        "go": "wilt; die; dry out; get cut down; be eaten by deer; fall over",
        "come": "bloom; sprout; be planted; grow; come up",
        "make": "plant; pick; grow; sell; water; cut; buy",
        "box": "vase; pot; row; bouquet; bed; bunch; basket; tray; planter; box; packet; bundle",
        "spot": "in the garden; in the park; in the vase; in the greenhouse; in the flower bed; in the backyard; at the nursery; "
        "along the path; in the field; on the balcony",
        "size": "3 250",
        "price": "50 900",
    },
    "crafts": {
        "things": "bead; button; ribbon; bow; bracelet; necklace; scarf; card; candle; paper crane; quilt; quilt square; "
        "sequin; hat; mitten; sock; picture frame; bar of soap; basket; vase; wreath; mug; ornament; painting; drawing; "
        "birdhouse; snowflake; mask; key ring; friendship bracelet; paper flower; lantern; clay pot; mosaic tile",
        "kinds": "red; blue; green; glass; wooden; striped; silver; gold; plastic; purple; white; handmade; painted; finished",
        "gain": "make; buy; find; get; finish; receive; order; knit; collect",
        "lose": "use; sell; give away; lose; break; donate; drop; use up; throw out; ruin",
        "give": "give; sell; mail; send; hand; lend; donate",
        "go": "break; fall off; go missing; get lost; roll under the couch",
        "come": "be delivered; arrive",
        "make": "make; sell; use; buy; paint; finish; wrap",
        "box": "box; jar; bag; string; packet; tray; case; bin; drawer; set; tube; spool; pack; display",
        "spot": "in the jar; on the table; in the craft box; at the craft fair; in the workshop; in the drawer; on the shelf; "
        "in the art room",
        "size": "3 240",
        "price": "25 2000",
    },
    "farm": {
        "things": "egg; chicken; cow; pig; sheep; goat; horse; duck; rabbit; turkey; hen; lamb; goose; bale of hay; sack of grain; "
        "calf; pony; rooster; beehive; jar of honey; bottle of milk; donkey; llama; piglet; chick; bucket of milk",
        "kinds": "brown; white; black; young; old; spotted; healthy; small; large; hungry",
        "gain": "buy; raise; get; collect; receive; bring in; be given; add",
        "lose": "sell; give away; move; lose; trade away; ship; donate",
        "give": "give; sell; trade; lend; deliver; bring",
        "go": "run away; escape; be sold; wander off; get loose",
        "come": "be born; hatch; arrive; be bought",
        "make": "buy; raise; sell; feed; count; collect",
        "box": "pen; barn; field; coop; stall; crate; truck; pasture; shed; cart; carton",
        "spot": "on the farm; in the barn; in the field; in the pasture; at the market; in the coop; in the pen",
        "size": "3 180",
        "price": "100 9000",
    },
    "clothes": {
        "things": "shirt; T-shirt; sock; hat; coat; sweater; dress; skirt; scarf; jacket; tie; belt; uniform; towel; blanket; "
        "pair of shoes; pair of gloves; pair of jeans; bracelet; cap; costume; apron; jersey; pillowcase; mitten; vest; "
        "pair of socks; pair of boots; sheet; raincoat; swimsuit; button",
        "kinds": "red; blue; clean; dirty; striped; white; old; new; torn; wool; cotton; green; black; folded",
        "gain": "buy; sew; receive; get; order; knit; pick up; be given; find",
        "lose": "donate; sell; give away; outgrow; lose; return; throw out",
        "give": "give; lend; sell; donate; send; hand down",
        "go": "tear; shrink; get lost; wear out; be sold; go missing",
        "come": "be delivered; arrive; come back from the cleaners",
        "make": "buy; sew; wash; sell; fold; iron; donate; pack",
        "box": "drawer; box; bag; basket; suitcase; rack; shelf; closet; load; package; hamper; pile",
        "spot": "in the closet; in the drawer; on the rack; in the laundry basket; at the store; in the suitcase; on the clothesline",
        "size": "3 90",
        "price": "300 6000",
    },
    "kitchen": {
        "things": "plate; cup; glass; bowl; spoon; fork; knife; mug; napkin; straw; jar; bottle; can of soup; bottle of water; "
        "juice box; box of cereal; can of beans; carton of milk; bag of chips; tea bag; granola bar; can of soda; "
        "hot dog; hamburger; meatball; slice of pizza; cheese stick; popcorn ball; ice cube; egg; chicken nugget; "
        "slice of bread; bag of rice; jar of jam; bottle of juice; can of paint",
        "kinds": "clean; dirty; blue; white; plastic; paper; large; small; empty; full; broken; new",
        "gain": "buy; get; bring; order; find; set out; unpack; prepare",
        "lose": "use; break; drop; throw out; give away; use up; serve; recycle",
        "give": "give; serve; lend; hand; pass; sell; bring",
        "go": "break; fall off the counter; get dropped; be used; get knocked over",
        "come": "be delivered; arrive",
        "make": "buy; wash; use; serve; sell; stack; pack; order",
        "box": "cabinet; box; shelf; tray; carton; case; pack; basket; cooler; stack; drawer; crate; bag",
        "spot": "on the table; in the cupboard; in the pantry; on the shelf; in the kitchen; in the cooler; in the sink; on the tray",
        "size": "3 150",
        "price": "30 900",
    },
    "media": {
        "things": "photo; picture; song; email; text message; video; file; app; letter; postcard; game; movie; podcast; message; "
        "phone call; article; playlist; ringtone; contact; drawing; slide; document; recording; invitation; video game; CD; DVD",
        "kinds": "new; old; funny; long; short; blurry; work; family; vacation; favorite; unread; saved",
        "gain": "download; receive; save; get; record; add; make; send; create",
        "lose": "delete; lose; erase; remove",
        "give": "send; give; show; mail; forward",
        "go": "be deleted; disappear; get erased; get lost",
        "come": "arrive; be added; come in",
        "make": "take; send; save; watch; receive; print; delete; share",
        "box": "album; folder; page; memory card; playlist; envelope; box; disk; drive",
        "spot": "on the phone; on the computer; in the folder; in the inbox; on the tablet; in the album; on the memory card",
        "size": "3 400",
        "price": "50 2500",
    },
    "hardware": {
        "things": "nail; screw; brick; board; tile; bolt; hammer; tool; light bulb; battery; paint can; plank; log; bucket; rope; "
        "tire; hose; pipe; lamp; wire; key; lock; window; door; chair; table; fence post; desk; shelf; ladder; brush; hook; "
        "hinge; spring; wheel; magnet; stone; flashlight; broom; wooden stick; solar panel; bag of cement",
        "kinds": "long; short; rusty; new; old; wooden; metal; heavy; broken; spare; steel; thick",
        "gain": "buy; get; order; find; cut; receive; borrow; unload; collect; bring",
        "lose": "use; lose; break; return; throw out; install; sell; use up; bend; give away",
        "give": "give; lend; sell; hand; deliver; loan",
        "go": "break; rust; burn out; get lost; crack; be used",
        "come": "be delivered; arrive",
        "make": "buy; use; carry; stack; install; sell; paint; move",
        "box": "box; crate; toolbox; pallet; bag; bin; truck; stack; shelf; carton; pack; cart; bucket",
        "spot": "in the garage; in the shed; on the workbench; in the toolbox; at the hardware store; in the truck; on the shelf; "
        "in the warehouse",
        "size": "3 400",
        "price": "10 4000",
    },
    "games": {
        "things": "point; ticket; token; prize; gold coin; star; life; trophy; medal; chip; raffle ticket; goal; badge; gem; key; "
        "arcade token; ring; puzzle piece; sticker; treasure; bonus point; prize ticket; playing card; domino; ribbon",
        "kinds": "gold; silver; bonus; red; blue; extra; lucky; special",
        "gain": "win; earn; get; find; collect; score; receive; pick up; be awarded",
        "lose": "lose; use; spend; trade in; give away; cash in; give up",
        "give": "give; hand; pass; trade; award; lend",
        "go": "be lost; disappear; be taken away",
        "come": "appear; be added",
        "make": "win; earn; collect; find; lose; use; get",
        "box": "bag; cup; pile; box; level; round; game; stack; pouch; roll; book",
        "spot": "at the arcade; in the game; at the fair; on the board; in the cup; at the carnival; on the scoreboard",
        "size": "3 300",
        "price": "25 500",
    },
}

# Things that are at a place by themselves and come and go: animals, people, vehicles.
#   things; spot; come; go; do (what they are doing there); box (what holds equal groups of them); size
CROWDS: dict[str, dict[str, str]] = {
    "birds": {
        "things": "bird; duck; goose; pigeon; swan; crow; sparrow; owl; gull; robin; parrot; hummingbird; penguin; flamingo",
        "kinds": "white; black; brown; gray; young; hungry; noisy; wild",
        "spot": "in the tree; on the fence; on the pond; on the lake; on the wire; in the park; on the roof; at the feeder; "
        "on the branch; by the river",
        "come": "fly in; join them; land; arrive; come back; swim over",
        "go": "fly away; leave; fly off; swim away; take off; fly south",
        "do": "sit; rest; sing; feed; look for food",
        "box": "nest; flock; branch; tree; cage; pond",
        "size": "3 60",
    },
    "critters": {
        "things": "frog; fish; turtle; butterfly; bee; ant; ladybug; squirrel; rabbit; monkey; deer; mouse; grasshopper; dragonfly; "
        "firefly; worm; snail; beetle; crab; dolphin; seal; goldfish; cricket; caterpillar; otter; bat; tadpole; guppy; raccoon",
        "kinds": "green; brown; black; tiny; young; spotted; gray; orange; striped; baby",
        "spot": "in the pond; in the garden; on the log; in the tank; in the field; at the zoo; under the rock; in the forest; "
        "near the stream; in the aquarium; on the bush",
        "come": "join them; come out; arrive; show up; appear; hop over; crawl over",
        "go": "leave; run away; hop away; swim off; hide; crawl away; disappear; escape",
        "do": "play; rest; hide; sleep; look for food",
        "box": "tank; jar; log; cage; pond; burrow; bowl; bush; hive; bucket",
        "size": "3 80",
    },
    "pets": {
        "things": "puppy; kitten; dog; cat; hamster; rabbit; parakeet; gerbil; lizard; guinea pig; canary; ferret; hermit crab",
        "kinds": "black; white; brown; small; playful; spotted; shy; fluffy; gray; sleepy",
        "spot": "at the pet store; at the animal shelter; in the kennel; at the vet's office; in the yard; at the dog park",
        "come": "be brought in; arrive; be born; be rescued; move in",
        "go": "be adopted; go home; be sold; leave; run off",
        "do": "play; sleep; wait; eat; bark",
        "box": "cage; kennel; basket; pen; crate; litter; room",
        "size": "3 60",
    },
    "people": {
        "things": "student; child; kid; boy; girl; player; swimmer; visitor; guest; person; customer; dancer; camper; teacher; "
        "volunteer; parent; worker; singer; actor; runner; skater; scout; tourist; adult; fan; musician; soldier; sailor; "
        "hiker; reporter; nurse; artist; cheerleader; gymnast; climber",
        "kinds": "new; young; older; tired; excited; local; first-time; returning; shy; busy",
        "spot": "in the classroom; at the party; on the playground; in the gym; at the pool; in the library; in line; at the park; "
        "on the team; in the club; at the museum; in the theater; in the cafeteria; at camp; on the beach; in the room; "
        "at the concert; at the picnic; at the restaurant; in the auditorium",
        "come": "join them; arrive; come in; show up; walk in; enter; sign up; come late",
        "go": "leave; go home; walk out; drop out; go inside; move away; get sick and leave; quit",
        "do": "play; wait; read; stand; sit; work; dance; practice",
        "box": "group; team; table; row; bus; van; room; bench; tent; car; boat; line; cabin; class; cart",
        "size": "4 240",
    },
    "riders": {
        "things": "passenger; person; rider; tourist; commuter; traveler; child; student; adult",
        "kinds": "new; tired; elderly; sleepy; young; happy",
        "spot": "on the bus; on the train; on the ferry; on the plane; on the subway; in the van; on the boat; on the trolley",
        "come": "get on; board; climb aboard; come aboard; hop on",
        "go": "get off; leave; step off; hop off",
        "do": "ride; sit; sleep; read",
        "box": "row; car; seat; bus; bench; cabin; van; wagon",
        "size": "4 150",
    },
    "vehicles": {
        "things": "car; truck; bus; bicycle; boat; van; taxi; motorcycle; airplane; train; scooter; sailboat; wagon; jet; ship; canoe; "
        "tractor; helicopter; minivan; trailer",
        "kinds": "red; blue; white; old; new; black; electric; silver; rusty",
        "spot": "in the parking lot; in the garage; at the station; at the dock; on the street; at the airport; on the lot; "
        "in the harbor; on the bridge; at the depot",
        "come": "arrive; pull in; park; come in; drive in; show up",
        "go": "leave; drive away; pull out; be sold; break down; be towed",
        "do": "wait; park; stand",
        "box": "row; level; garage; lot; lane; dock; section",
        "size": "3 120",
    },
}

# Stuff that is measured: the stuff, its unit, verbs, containers, least and most (in tenths where decimals fit).
STUFF: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "flour",
        "cup pound kilogram",
        "buy; get; measure out; add",
        "use; spill; bake with",
        "bag; batch; sack",
        "2 40",
    ),
    (
        "sugar",
        "cup pound ounce gram",
        "buy; get; add; borrow",
        "use; spill; eat; pour out",
        "bag; batch; jar; recipe",
        "2 60",
    ),
    (
        "milk",
        "cup gallon quart liter",
        "buy; get; pour; bring home",
        "drink; spill; use; pour out",
        "bottle; jug; carton; glass",
        "2 30",
    ),
    (
        "water",
        "gallon liter bucket cup",
        "pour; add; carry; bring",
        "drink; spill; use; drain; lose",
        "tank; bottle; pail; barrel",
        "3 120",
    ),
    (
        "juice",
        "ounce liter cup quart",
        "buy; make; squeeze; pour",
        "drink; spill; serve; use",
        "pitcher; glass; bottle; carton",
        "3 64",
    ),
    (
        "rice",
        "pound kilogram cup",
        "buy; cook; order; get",
        "eat; use; serve; spill; donate",
        "bag; sack; bowl; pot",
        "2 50",
    ),
    (
        "ribbon",
        "foot yard meter inch",
        "buy; find; cut; get",
        "use; cut off; give away",
        "roll; spool; package",
        "3 90",
    ),
    ("rope", "foot yard meter", "buy; find; get; order", "cut off; use; sell", "coil; bundle; roll", "4 120"),
    (
        "fabric",
        "yard meter foot",
        "buy; order; get; find",
        "use; cut off; sell; waste",
        "roll; bolt; bundle",
        "2 60",
    ),
    ("wire", "foot meter yard", "buy; order; get", "use; cut off; waste", "roll; coil; spool", "4 150"),
    (
        "paint",
        "gallon quart can pint",
        "buy; mix; order; get",
        "use; spill; waste; use up",
        "bucket; can; room",
        "2 40",
    ),
    (
        "sand",
        "pound bucket ton bag",
        "buy; carry; load; shovel",
        "use; spill; dump; unload",
        "truck; box; wagon",
        "3 90",
    ),
    ("soil", "pound bag bucket", "buy; carry; bring; get", "use; spill; spread", "pot; planter; bed", "3 70"),
    (
        "honey",
        "pound jar ounce pint",
        "harvest; buy; collect; get",
        "sell; eat; use; give away",
        "jar; hive; crate",
        "3 150",
    ),
    (
        "cheese",
        "pound ounce slice kilogram",
        "buy; make; order; get",
        "eat; use; sell; grate",
        "sandwich; plate; package",
        "2 50",
    ),
    (
        "chocolate",
        "ounce pound piece gram",
        "buy; melt; get; make",
        "eat; use; give away; sell",
        "box; bag; recipe",
        "2 80",
    ),
    ("gasoline", "gallon liter", "buy; pump; get; add", "use; burn; use up", "tank; can; trip", "3 60"),
    (
        "lemonade",
        "cup quart gallon glass",
        "make; pour; buy; mix",
        "sell; drink; spill; serve",
        "pitcher; jug; table",
        "3 90",
    ),
    ("snow", "inch foot centimeter", "measure; get", "shovel; clear", "week; storm", "2 30"),
    (
        "dog food",
        "pound cup bag can",
        "buy; get; order",
        "use; give away; spill; donate",
        "bag; bowl; bin",
        "3 80",
    ),
    (
        "clay",
        "pound ounce kilogram block",
        "buy; get; order; find",
        "use; give away; sell",
        "pot; bag; box",
        "2 60",
    ),
    (
        "yarn",
        "yard ball foot skein",
        "buy; get; spin; find",
        "use; give away; cut off",
        "scarf; basket; bag",
        "2 120",
    ),
    (
        "corn",
        "bushel pound ton",
        "harvest; grow; pick; buy",
        "sell; eat; ship; use",
        "truck; field; sack",
        "3 300",
    ),
    (
        "coffee",
        "pound cup ounce",
        "buy; make; order; roast",
        "drink; sell; use; serve",
        "bag; pot; tin",
        "2 50",
    ),
    (
        "trash",
        "pound bag ton",
        "collect; pick up; gather",
        "recycle; haul away; burn",
        "truck; bin; block",
        "3 200",
    ),
    (
        "paper",
        "pound sheet box",
        "collect; buy; recycle; get",
        "use; recycle; throw out",
        "stack; box; class",
        "4 300",
    ),
    (
        "popcorn",
        "cup bag bucket bowl",
        "make; pop; buy; get",
        "eat; spill; sell; share",
        "bowl; bucket; tub",
        "2 60",
    ),
    (
        "soup",
        "cup quart bowl liter",
        "make; cook; heat; prepare",
        "eat; serve; spill; sell",
        "pot; bowl; can",
        "2 60",
    ),
    (
        "oil",
        "quart liter ounce cup",
        "buy; add; get; pour in",
        "use; spill; leak",
        "bottle; can; engine",
        "2 30",
    ),
    (
        "meat",
        "pound kilogram ounce",
        "buy; order; get; grill",
        "cook; eat; sell; use",
        "package; cooler; box",
        "2 60",
    ),
    ("birdseed", "pound cup bag ounce", "buy; get; order", "use; spill; scatter", "feeder; bag; bin", "2 40"),
    ("string", "foot inch meter yard", "buy; find; get", "use; cut off; lose", "kite; ball; roll", "4 120"),
)

#: Things that people buy one of, with plausible prices in dollars.
GOODS: tuple[tuple[str, int, int], ...] = (
    ("book", 4, 25),
    ("shirt", 8, 35),
    ("hat", 6, 25),
    ("ball", 3, 20),
    ("backpack", 15, 60),
    ("bicycle", 80, 400),
    ("lamp", 12, 70),
    ("toy car", 2, 15),
    ("puzzle", 5, 25),
    ("kite", 4, 22),
    ("watch", 20, 150),
    ("jacket", 25, 120),
    ("pair of shoes", 20, 110),
    ("pizza", 8, 22),
    ("sandwich", 3, 12),
    ("movie ticket", 6, 16),
    ("video game", 18, 65),
    ("board game", 10, 45),
    ("skateboard", 25, 120),
    ("guitar", 60, 400),
    ("camera", 60, 600),
    ("phone", 90, 800),
    ("desk", 50, 300),
    ("chair", 15, 150),
    ("table", 40, 400),
    ("sofa", 200, 900),
    ("rug", 25, 250),
    ("mirror", 12, 90),
    ("blanket", 12, 60),
    ("pillow", 6, 30),
    ("tent", 45, 260),
    ("sleeping bag", 25, 120),
    ("fishing rod", 15, 90),
    ("football", 8, 35),
    ("basketball", 10, 40),
    ("soccer ball", 9, 38),
    ("baseball glove", 15, 70),
    ("tennis racket", 20, 140),
    ("helmet", 15, 60),
    ("scooter", 30, 150),
    ("doll", 8, 40),
    ("teddy bear", 6, 35),
    ("notebook", 1, 8),
    ("calculator", 8, 90),
    ("set of paints", 6, 40),
    ("cake", 9, 40),
    ("bouquet", 8, 45),
    ("necklace", 10, 150),
    ("bracelet", 5, 60),
    ("scarf", 7, 35),
    ("sweater", 15, 70),
    ("dress", 18, 110),
    ("pair of jeans", 18, 80),
    ("umbrella", 6, 30),
    ("suitcase", 30, 180),
    ("radio", 15, 120),
    ("keyboard", 20, 150),
    ("printer", 50, 250),
    ("tablet", 90, 500),
    ("laptop", 300, 1500),
    ("television", 150, 1200),
    ("washing machine", 250, 900),
    ("refrigerator", 400, 1800),
    ("used car", 2000, 15000),
    ("piano", 600, 5000),
    ("toaster", 15, 60),
    ("blender", 20, 90),
    ("vase", 8, 60),
    ("picture frame", 5, 40),
    ("bird cage", 15, 90),
    ("fish tank", 20, 140),
    ("dog leash", 5, 25),
    ("bag of dog food", 9, 45),
    ("toy train", 10, 60),
    ("remote-control car", 18, 90),
    ("model airplane", 8, 50),
    ("jump rope", 3, 12),
    ("yo-yo", 2, 10),
    ("comic book", 2, 8),
    ("poster", 3, 15),
    ("magazine", 2, 9),
    ("sketchbook", 4, 20),
    ("ticket to the zoo", 6, 24),
    ("concert ticket", 15, 90),
    ("haircut", 10, 40),
    ("hamburger", 3, 12),
    ("milkshake", 2, 8),
    ("ice cream cone", 1, 6),
    ("bag of popcorn", 2, 8),
    ("pumpkin", 2, 15),
    ("rose bush", 8, 40),
    ("shovel", 9, 35),
    ("hammer", 7, 30),
    ("can of paint", 10, 45),
)

#: Ways to move with their speed range in miles per hour.
TRAVEL: tuple[tuple[str, int, int], ...] = (
    ("walk", 2, 4),
    ("jog", 4, 7),
    ("run", 5, 9),
    ("bike", 8, 18),
    ("cycle", 9, 20),
    ("drive", 30, 65),
    ("ride a scooter", 6, 12),
    ("hike", 2, 3),
    ("skate", 6, 12),
    ("paddle", 2, 5),
    ("row", 3, 6),
    ("sail", 5, 15),
    ("ride a horse", 5, 12),
    ("ski", 6, 20),
)

MOVERS: tuple[tuple[str, int, int], ...] = (
    ("train", 40, 120),
    ("car", 30, 70),
    ("bus", 25, 60),
    ("truck", 35, 65),
    ("plane", 300, 600),
    ("boat", 8, 30),
    ("ship", 12, 35),
    ("ferry", 10, 25),
    ("helicopter", 80, 150),
    ("snail", 1, 3),
    ("turtle", 1, 3),
    ("cheetah", 40, 70),
    ("motorcycle", 30, 75),
    ("jet", 400, 650),
    ("subway train", 20, 50),
    ("delivery van", 20, 55),
    ("horse", 10, 30),
)

#: Work paid or counted by time: verb phrase in the plain form, what it makes (plural), least and most per hour.
WORK: tuple[tuple[str, str, int, int], ...] = (
    ("type", "page", 3, 12),
    ("paint", "fence post", 4, 20),
    ("fold", "shirt", 12, 60),
    ("pack", "box", 5, 40),
    ("wash", "car", 2, 8),
    ("bake", "pie", 3, 12),
    ("make", "bracelet", 3, 15),
    ("read", "page", 15, 60),
    ("plant", "tree", 4, 25),
    ("pick", "basket", 3, 15),
    ("mow", "lawn", 1, 4),
    ("build", "birdhouse", 1, 5),
    ("wrap", "gift", 5, 25),
    ("answer", "phone call", 6, 40),
    ("lay", "brick", 30, 120),
    ("solve", "problem", 6, 40),
    ("write", "letter", 3, 15),
    ("deliver", "newspaper", 20, 80),
    ("sew", "button", 10, 60),
    ("decorate", "cake", 2, 8),
    ("clean", "window", 6, 25),
    ("peel", "potato", 20, 90),
    ("print", "poster", 20, 150),
    ("assemble", "toy", 6, 40),
    ("grade", "test", 8, 30),
    ("serve", "customer", 10, 50),
    ("swim", "lap", 10, 60),
    ("do", "push-up", 20, 90),
    ("shoot", "basket", 15, 80),
    ("knit", "row", 8, 40),
    ("scan", "document", 30, 150),
    ("stamp", "envelope", 40, 200),
)

JOBS = _list(
    """babysitting; mowing lawns; walking dogs; washing cars; raking leaves; tutoring; delivering newspapers; shoveling snow;
    working at the library; helping at the bakery; painting fences; cleaning houses; selling lemonade; weeding gardens;
    working at the grocery store; pet sitting; working on the farm; teaching piano; giving swimming lessons; baking bread"""
)

OPENERS = _list(
    """it was a sunny day; the weather was nice; school had just started; summer vacation had begun; everyone was excited;
    the store was very busy; the fair was in town; it was the first day of camp; a new school year was about to start;
    the party was almost ready; it rained all afternoon; spring had finally come; the holidays were coming up; the
    whole class helped; the contest was about to begin; it was a busy week; the town was getting ready for the parade;
    a storm had just passed; the museum had opened early that morning; the principal made an announcement; snow covered
    the playground; Grandparents' day was coming; the bakery smelled wonderful; harvest time had arrived; the science
    fair takes place every spring; the library was quiet that evening; nobody was late; the circus came to town;
    tryouts were held after school; the neighbors planned a yard sale; lunch was almost over; the band was rehearsing
    for the concert; a new shop opened on the corner; the team had a long bus ride; it was picture day; the kitchen was
    a mess; the river had frozen over; the carnival lasted all weekend; tickets sold quickly; the aquarium was crowded;
    the gym was decorated with streamers; visitors came from everywhere; winter was on its way"""
)

PERSON_OPENERS = _list(
    """{p} loves {t}; {p} likes to count things; {p} went to the store; {p} was very busy; {p} had been saving up for months;
    {p} was getting ready for a party; {p} is a big fan of {t}; {p} was helping at school; {p} was cleaning up the house;
    {p} spent the weekend at the lake; {p} visited a friend; {p} got up early; {p} keeps careful records; {p} is very organized;
    {p} was excited about {t}; {p} always wanted more {t}; {p} needed some {t}; {p} has a favorite hobby; {p} went shopping;
    {p} was planning a surprise; {p} invited some friends over; {p} keeps a list of {t}; {p} volunteers at the animal shelter;
    {p} joined an after-school club; {p} was packing for a camping trip; {p} rode a bicycle to the market; {p} works at a museum;
    {p} is learning about fractions; {p} moved to a new apartment; {p} was decorating the living room; {p} grew up on a ranch;
    {p} entered a local competition; {p} was tidying the attic; {p} had a wonderful birthday; {p} stayed home because of the snow;
    {p} collects souvenirs from every vacation; {p} wanted to surprise the whole family; {p} was writing a report about {t};
    {p} is preparing for the school play; {p} woke up before sunrise; {p} took a train to the city; {p} went hiking in the mountains;
    {p} had never seen so many {t}; {p} was bored during the holidays; {p} keeps a diary; {p} plays the violin in an orchestra;
    {p} helped a neighbor carry groceries; {p} opened a small business; {p} was waiting for the bus; {p} borrowed a wheelbarrow;
    {p} finished all the chores; {p} dreamed of becoming an astronaut; {p} promised to be careful; {p} baked bread for the whole street;
    {p} likes puzzles and riddles; {p} bought a map of the area; {p} learned a new recipe; {p} sat down at the desk with a notebook;
    {p} was asked to help with the inventory; {p} makes a plan for everything; {p} had a cold and stayed in bed;
    {p} was looking for a present; {p} told everybody about {t}; {p} works as a volunteer on weekends"""
)
