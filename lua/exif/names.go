package exif

// Names are the tags that can be asked for, in the spelling of EXIF 2.32.
var Names = map[string]uint16{
	"ImageWidth": 0x100, "ImageLength": 0x101, "BitsPerSample": 0x102, "Compression": 0x103,
	"PhotometricInterpretation": 0x106, "DocumentName": 0x10D, "ImageDescription": 0x10E, "Make": 0x10F, "Model": 0x110,
	"Orientation": 0x112, "SamplesPerPixel": 0x115, "XResolution": 0x11A, "YResolution": 0x11B,
	"PlanarConfiguration": 0x11C, "PageName": 0x11D, "PageNumber": 0x129, "ResolutionUnit": 0x128, "Software": 0x131,
	"DateTime": 0x132, "Artist": 0x13B, "HostComputer": 0x13C, "WhitePoint": 0x13E, "PrimaryChromaticities": 0x13F,
	"YCbCrCoefficients": 0x211, "YCbCrSubSampling": 0x212, "YCbCrPositioning": 0x213, "ReferenceBlackWhite": 0x214,
	"Rating": 0x4746, "Copyright": 0x8298, "ExposureTime": 0x829A, "FNumber": 0x829D, "ExposureProgram": 0x8822,
	"SpectralSensitivity": 0x8824, "ISOSpeedRatings": 0x8827, "SensitivityType": 0x8830,
	"StandardOutputSensitivity": 0x8831, "RecommendedExposureIndex": 0x8832, "ISOSpeed": 0x8833,
	"ExifVersion": 0x9000, "DateTimeOriginal": 0x9003, "DateTimeDigitized": 0x9004, "OffsetTime": 0x9010,
	"OffsetTimeOriginal": 0x9011, "OffsetTimeDigitized": 0x9012, "ComponentsConfiguration": 0x9101,
	"CompressedBitsPerPixel": 0x9102, "ShutterSpeedValue": 0x9201, "ApertureValue": 0x9202, "BrightnessValue": 0x9203,
	"ExposureBiasValue": 0x9204, "MaxApertureValue": 0x9205, "SubjectDistance": 0x9206, "MeteringMode": 0x9207,
	"LightSource": 0x9208, "Flash": 0x9209, "FocalLength": 0x920A, "SubjectArea": 0x9214, "MakerNote": 0x927C,
	"UserComment": 0x9286, "SubSecTime": 0x9290, "SubSecTimeOriginal": 0x9291, "SubSecTimeDigitized": 0x9292,
	"FlashpixVersion": 0xA000, "ColorSpace": 0xA001, "PixelXDimension": 0xA002, "PixelYDimension": 0xA003,
	"RelatedSoundFile": 0xA004, "FlashEnergy": 0xA20B, "FocalPlaneXResolution": 0xA20E, "FocalPlaneYResolution": 0xA20F,
	"FocalPlaneResolutionUnit": 0xA210, "SubjectLocation": 0xA214, "ExposureIndex": 0xA215, "SensingMethod": 0xA217,
	"FileSource": 0xA300, "SceneType": 0xA301, "CustomRendered": 0xA401, "ExposureMode": 0xA402, "WhiteBalance": 0xA403,
	"DigitalZoomRatio": 0xA404, "FocalLengthIn35mmFilm": 0xA405, "SceneCaptureType": 0xA406, "GainControl": 0xA407,
	"Contrast": 0xA408, "Saturation": 0xA409, "Sharpness": 0xA40A, "SubjectDistanceRange": 0xA40C, "ImageUniqueID": 0xA420,
	"CameraOwnerName": 0xA430, "BodySerialNumber": 0xA431, "LensSpecification": 0xA432, "LensMake": 0xA433,
	"LensModel": 0xA434, "LensSerialNumber": 0xA435, "Gamma": 0xA500,
}

// GPSNames are the tags of the GPS directory.
var GPSNames = map[uint16]string{
	0: "GPSVersionID", 1: "GPSLatitudeRef", 2: "GPSLatitude", 3: "GPSLongitudeRef", 4: "GPSLongitude",
	5: "GPSAltitudeRef", 6: "GPSAltitude", 7: "GPSTimeStamp", 8: "GPSSatellites", 9: "GPSStatus", 10: "GPSMeasureMode",
	11: "GPSDOP", 12: "GPSSpeedRef", 13: "GPSSpeed", 14: "GPSTrackRef", 15: "GPSTrack", 16: "GPSImgDirectionRef",
	17: "GPSImgDirection", 18: "GPSMapDatum", 19: "GPSDestLatitudeRef", 20: "GPSDestLatitude", 21: "GPSDestLongitudeRef",
	22: "GPSDestLongitude", 23: "GPSDestBearingRef", 24: "GPSDestBearing", 25: "GPSDestDistanceRef", 26: "GPSDestDistance",
	29: "GPSDateStamp", 30: "GPSDifferential", 31: "GPSHPositioningError",
}
