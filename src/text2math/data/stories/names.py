"""Names of people in stories.

>>> len(GIRLS) + len(BOYS) >= 300
True
"""

from __future__ import annotations


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
